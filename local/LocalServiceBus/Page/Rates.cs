using DroneDelivery.LocalServiceBus.Entities;

namespace DroneDelivery.LocalServiceBus.Page;

/// <summary>Messages a second, between two looks at the page that are at least a second apart. Nothing runs while nobody looks.</summary>
internal sealed class Rates
{
    private static readonly TimeSpan Least = TimeSpan.FromSeconds(1), Most = TimeSpan.FromMinutes(1);

    private readonly Lock _gate = new();
    private Sample? _former, _latest;

    /// <summary>Takes the totals of now.</summary>
    /// <returns>What came in and went out a second, by queue; null: this was the first look for a while.</returns>
    public Func<string, (double In, double Out)?> Look(TimeProvider time, IReadOnlyList<(string Name, QueueCounts Counts)> queues)
    {
        var totals = queues.ToDictionary(queue => queue.Name, queue => (queue.Counts.Incoming, queue.Counts.Outgoing));
        var now = new Sample(time.GetTimestamp(), totals);
        lock (_gate)
        {
            // Of several who look within a second, each sees the rates up to its own look.
            if (_latest is null || time.GetElapsedTime(_latest.At, now.At) >= Least)
                (_former, _latest) = (_latest, now);
            var since = _former;
            return since is null || time.GetElapsedTime(since.At, now.At) > Most
                ? _ => null
                : name => RateOf(time.GetElapsedTime(since.At, now.At), since.Totals.GetValueOrDefault(name), now.Totals[name]);
        }
    }

    private static (double In, double Out)? RateOf(TimeSpan passed, (long In, long Out) before, (long In, long Out) now) =>
        (Math.Max(0, now.In - before.In) / passed.TotalSeconds, Math.Max(0, now.Out - before.Out) / passed.TotalSeconds);

    private sealed record Sample(long At, Dictionary<string, (long In, long Out)> Totals);
}
