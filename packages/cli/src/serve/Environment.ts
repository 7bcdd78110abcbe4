/** The environment of this process, and the part that child programs may see. */

export type Environment = Readonly<Record<string, string | undefined>>

/** Paths of programs, libraries and temporary files, language and time zone: never secrets. */
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

/** Prefixes of settings for Python, numeric libraries, devices, and model libraries. */
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

/** `HF_TOKEN` and similar names in any family, but not `TOKENIZERS_PARALLELISM`. */
const secretWord = /(?:^|_)(?:AUTH|CREDENTIALS?|KEYS?|PASS|PASSWD|PASSWORD|SECRETS?|TOKENS?)(?:_|$)/

const isShared = (name: string): boolean =>
  (sharedNames.has(name) || sharedPrefixes.some((prefix) => name.startsWith(prefix))) && !secretWord.test(name)

/** The environment of a child program: variables known to hold no secret, and those named by the operator. */
export const childVariables = (env: Environment, named: ReadonlyArray<string>): Readonly<Record<string, string>> =>
  Object.fromEntries(
    Object.entries(env).flatMap(([name, value]) =>
      value !== undefined && (isShared(name) || named.includes(name)) ? [[name, value]] : []
    )
  )

/** The environment of a program on another machine: variables named by the operator. */
export const operatorVariables = (env: Environment, names: ReadonlyArray<string>): Readonly<Record<string, string>> =>
  Object.fromEntries(
    names.flatMap((name) => {
      const value = env[name]
      return value === undefined ? [] : [[name, value]]
    })
  )
