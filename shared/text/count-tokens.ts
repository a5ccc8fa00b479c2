/** A token is four characters everywhere, so that budgets, counts and cuts agree without a model's tokenizer. */
export const countTokens = (text: string): number => Math.ceil(text.length / 4)
