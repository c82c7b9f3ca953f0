/** Exit codes of the command, for the process that started it. */

/** A retry will not help until another process gives up the port. */
export const PORT_IN_USE = 98
export const DIRECTORY_IN_USE = 1
export const WRONG_ARGUMENT = 2
