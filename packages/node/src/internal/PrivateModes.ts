/** What customers send is nobody else's on a machine: modes of what we write, whatever the umask is. */
export const privateFile = 0o600
export const privateFolder = 0o700
