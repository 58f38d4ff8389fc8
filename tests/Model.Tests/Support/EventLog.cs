using DroneDelivery.Model.Simulation.Queue;

namespace DroneDelivery.Model.Tests.Support;

/// <summary>Records the events of each message in order, one per line.</summary>
internal class EventLog : ISimulationLog
{
    public List<string> Lines { get; } = [];

    public List<long> Arrivals { get; } = [];

    public Dictionary<int, long> Completed { get; } = [];

    public virtual void Arrived(long at, int message) => Arrivals.Add(at);

    public void HandedOut(long at, int receiver, int message) => Add(at, $"message {message} to receiver {receiver}");

    public void Began(long at, int handler, int message) => Add(at, $"handler {handler} begins with message {message}");

    public void Settled(long at, int message, Settlement settlement, bool accepted)
    {
        Add(at, $"{settlement} of message {message}: {(accepted ? "accepted" : "lock lost")}");
        if (accepted && settlement == Settlement.Complete)
            Completed[message] = at;
    }

    public void LockEnded(long at, int message) => Add(at, $"lock of message {message} ends");

    private void Add(long at, string what) => Lines.Add($"{at} {what}");
}
