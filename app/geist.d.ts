// The declarations that geist brings leave out their files' endings, which NodeNext does not resolve.
declare module "geist/font/sans" {
  export const GeistSans: { variable: string }
}
declare module "geist/font/mono" {
  export const GeistMono: { variable: string }
}
