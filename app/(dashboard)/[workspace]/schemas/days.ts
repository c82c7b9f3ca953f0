export const count = new Intl.NumberFormat("en-GB")

export const days = (number: number): string => `${count.format(number)} ${number === 1 ? "day" : "days"}`
