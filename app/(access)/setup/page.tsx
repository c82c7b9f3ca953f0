// What an operator's link opens; what it is, its token says.
export { default } from "#app/(access)/join/page.tsx"
