/** The environment of this process, and what of it the programs that it starts may see. */

export type Environment = Readonly<Record<string, string | undefined>>

/** Where programs, libraries and temporary files are, in which language and time zone: nothing that a secret is kept in. */
const sharedNames: ReadonlySet<string> = new Set([
  "PATH",
  "HOME",
  "USER",
  "LOGNAME",
  "SHELL",
  "LANG",
  "LANGUAGE",
  "TZ",
  "TMPDIR",
  "LD_LIBRARY_PATH",
  "LD_PRELOAD",
  "SSL_CERT_FILE",
  "SSL_CERT_DIR",
  "REQUESTS_CA_BUNDLE",
  "VIRTUAL_ENV"
])

/** Families of settings of Python, of numeric libraries, of devices, and of model libraries. */
const sharedPrefixes: ReadonlyArray<string> = [
  "LC_",
  "XDG_",
  "PYTHON",
  "CONDA_",
  "CUDA_",
  "CUDNN_",
  "CUBLAS_",
  "NVIDIA_",
  "NCCL_",
  "HIP_",
  "HSA_",
  "ROCM_",
  "ROCR_",
  "OMP_",
  "KMP_",
  "MKL_",
  "OPENBLAS_",
  "TORCH_",
  "TORCHINDUCTOR_",
  "PYTORCH_",
  "TRITON_",
  "TOKENIZERS_",
  "TRANSFORMERS_",
  "ACCELERATE_",
  "HF_"
]

/** `HF_TOKEN` and the like, in whatever family they are; `TOKENIZERS_PARALLELISM` is none. */
const secretWord = /(?:^|_)(?:AUTH|CREDENTIALS?|KEYS?|PASS|PASSWD|PASSWORD|SECRETS?|TOKENS?)(?:_|$)/

const isShared = (name: string): boolean =>
  (sharedNames.has(name) || sharedPrefixes.some((prefix) => name.startsWith(prefix))) && !secretWord.test(name)

/** What a program that this server starts inherits: what is known to hold no secret, and what the operator names. */
export const inherited = (env: Environment, named: ReadonlyArray<string>): Readonly<Record<string, string>> =>
  Object.fromEntries(
    Object.entries(env).flatMap(([name, value]) =>
      value !== undefined && (isShared(name) || named.includes(name)) ? [[name, value]] : []
    )
  )

/** What a program on another machine is given of this environment: what the operator names. */
export const named = (env: Environment, names: ReadonlyArray<string>): Readonly<Record<string, string>> =>
  Object.fromEntries(
    names.flatMap((name) => {
      const value = env[name]
      return value === undefined ? [] : [[name, value]]
    })
  )
