using System.Collections.Concurrent;

namespace Azure.Messaging.ServiceBus;

/// <summary>Which sessions a processor takes: whichever has messages, or those with the given ids in turn.</summary>
internal sealed class SessionChoice(IReadOnlyCollection<string> ids)
{
    private readonly ConcurrentQueue<string> _free = new(ids);

    /// <summary>How many of them there are; null: any number.</summary>
    public int? Count { get; } = ids.Count == 0 ? null : ids.Count;

    /// <returns>Null: whichever has messages.</returns>
    public string? Take() => _free.TryDequeue(out var id) ? id : null;

    public void GiveBack(string? id)
    {
        if (id is not null)
            _free.Enqueue(id);
    }
}
