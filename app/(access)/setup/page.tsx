// The page behind a link that an operator created. The link's token says what it is for.
export { default } from "#app/(access)/join/page.tsx"
