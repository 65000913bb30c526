export interface Row {
  name: string;
  kind: string;
}
