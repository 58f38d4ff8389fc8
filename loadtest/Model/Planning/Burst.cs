namespace DroneDelivery.Model.Planning;

/// <summary>What becomes of messages that are in the queue all at once while others come in.</summary>
/// <param name="Seconds">Until they are gone; infinite: more comes in than can be completed.</param>
/// <param name="LosesLocks">Whether the last message of a full buffer waits for longer than its lock.</param>
/// <param name="WaitSeconds">How long it waits.</param>
public sealed record Burst(double Seconds, bool LosesLocks, double WaitSeconds);
