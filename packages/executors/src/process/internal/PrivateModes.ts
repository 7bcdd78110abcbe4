/** File modes that keep tenants' data private on this machine, whatever the umask. */
export const privateFile = 0o600
export const privateFolder = 0o700
