/** The tags of captured calls that trainings, evaluations, versions and students make. They say nothing of the traffic (contract 16.13, 16.32, 16.35). */

/** Of a hosted model that is compared. */
export const candidate = "candidate"
/** Of the teacher, asked again. */
export const teacherRepeat = "teacher_repeat"
/** Of the teacher, asked about a suspect of a dataset version. */
export const relabel = "relabel"
/** Of embeddings for a training, an evaluation or a student's answer. */
export const embedding = "embedding"

const all: ReadonlyArray<string> = [candidate, teacherRepeat, relabel, embedding]

/** Those that a filter with these tags does not ask for. */
export const unrequestedTags = (tags: ReadonlyArray<string>): ReadonlyArray<string> =>
  all.filter((tag) => !tags.includes(tag))
