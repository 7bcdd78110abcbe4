/** Modes of our files, regardless of the umask: customer data is readable by this user alone. */
export const privateFile = 0o600
export const privateFolder = 0o700
