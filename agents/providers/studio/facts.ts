// What the library has on its shelves.

const SHELVES: [RegExp, string[]][] = [
  [/\b(sea|ocean|waves?)\b/, ["It covers seven tenths of the planet.", "Its tides follow the moon, about twelve hours apart.", "Most of its floor has never been seen."]],
  [/\b(rain|weather|storm)\b/, ["A large drop falls at about nine metres a second.", "Its smell comes from the ground, not from the sky.", "Small drops are round; only big ones are flat below."]],
  [/\b(moon)\b/, ["It moves away by nearly four centimetres a year.", "It always shows us the same face.", "Its light takes a little more than a second to arrive."]],
  [/\b(coffee|tea)\b/, ["It was a medicine before it was a habit.", "Its smell has hundreds of parts.", "More of it is drunk standing than sitting."]],
  [/\b(cats?)\b/, ["They sleep for more than half of the day.", "Their whiskers tell whether a gap is wide enough.", "They seldom meow to one another."]],
  [/\b(bread|baking)\b/, ["It is older than farming.", "Its crust tastes as it does because of heat, not of sugar.", "A sourdough may live for a hundred years."]],
];

/** factsOn answers with three facts: from the shelves, or such as hold for everything. */
export function factsOn(topic: string): string[] {
  const found = SHELVES.find(([about]) => about.test(topic.toLowerCase()));
  if (found) return found[1];
  return ["People had a word for it long before they wrote it down.", "Nobody has ever seen all of it.", "It looks different in the morning."];
}

/** topicIn reads what a text is to be about, "" where it doesn't say. */
export function topicIn(text: string): string {
  const marks = /["“«]([^"”»]+)["”»]/.exec(text);
  const about = marks ? marks[1] : /\b(?:about|on)\s*:?\s+([^\n]+)/i.exec(text)?.[1] ?? "";
  return about
    .replace(/[,;.!?]?\s*\b(slow(ly)?|please|thanks?)\b.*$/i, "")
    .replace(/[\s.,;:!?]+$/, "")
    .trim()
    .slice(0, 60);
}

export const capital = (text: string) => text.charAt(0).toUpperCase() + text.slice(1);
