/** What the person at the screen does. */
export interface ScreenListener {
  onLine(line: string): void;
  /** Nothing more will be typed. */
  onEnd(): void;
  /** Ctrl+C. */
  onInterrupt(): void;
}

/** Where the chat is seen and typed. */
export interface Screen {
  /** Whether a person can be asked again. */
  readonly interactive: boolean;
  listen(listener: ScreenListener): void;
  /** What stands before the line that is typed. */
  prompt(text: string): void;
  /** Shows a line above the one that is being typed, which stays as it is. */
  show(line: string): void;
  /** Resolves when everything shown is out. */
  close(): Promise<void>;
}
