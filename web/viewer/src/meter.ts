/** An amount per second over the last half second or so: older shares fade exponentially. */
export class Meter {
  private amount = 0;
  private seconds = 0;

  /** @param memory s after which a share counts 1/e */
  constructor(private readonly memory = 0.5) {}

  /** This much within these seconds. */
  add(amount: number, seconds: number): void {
    const kept = Math.exp(-seconds / this.memory);
    this.amount = this.amount * kept + amount;
    this.seconds = this.seconds * kept + seconds;
  }

  /** Per second; 0 while nothing is known. */
  get rate(): number {
    return this.seconds > 0 ? this.amount / this.seconds : 0;
  }

  clear(): void {
    this.amount = 0;
    this.seconds = 0;
  }
}
