// geist's own declarations import without file extensions, which NodeNext does not resolve.
declare module "geist/font/sans" {
  export const GeistSans: { variable: string }
}
declare module "geist/font/mono" {
  export const GeistMono: { variable: string }
}
