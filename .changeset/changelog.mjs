/** What a package's CHANGELOG.md says: the sentences of its changesets. All packages have one version, so dependencies need no line. */
const getReleaseLine = async ({ summary }) => `- ${summary.trim().split("\n").join("\n  ")}`
const getDependencyReleaseLine = async () => ""

export default { getReleaseLine, getDependencyReleaseLine }
