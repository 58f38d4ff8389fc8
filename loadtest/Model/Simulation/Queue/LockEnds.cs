namespace DroneDelivery.Model.Simulation.Queue;

/// <summary>The expiry times of locks, which expire in the order in which they started.</summary>
internal sealed class LockEnds(long duration)
{
    private readonly Queue<(long At, int Message, int Token)> _ends = new(1024);

    public long Duration => duration;

    public long NextAt => _ends.Count == 0 ? Time.Never : _ends.Peek().At;

    public void Begin(long now, int message, int token) => _ends.Enqueue((now + duration, message, token));

    public (long At, int Message, int Token) Take() => _ends.Dequeue();
}
