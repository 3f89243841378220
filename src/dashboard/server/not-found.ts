import { InputError } from '../../core/errors/errors.js'

/** Thrown if the resource in the URL does not exist. The status is 404 instead of 400. */
export class NotFoundError extends InputError {}
