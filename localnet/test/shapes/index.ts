export { shapesOf } from "./compare.ts"
export { readGolden, writeGolden } from "./golden.ts"
