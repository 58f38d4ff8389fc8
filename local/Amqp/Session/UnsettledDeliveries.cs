namespace DroneDelivery.Amqp;

/// <summary>A delivery that we sent.</summary>
internal readonly record struct OutgoingDelivery(SenderLink Link, object? Context) : IUnsettled
{
    AmqpLink IUnsettled.Link => Link;
}

/// <summary>A delivery that we received.</summary>
internal readonly record struct UnsettledIncoming(ReceiverLink Link) : IUnsettled
{
    AmqpLink IUnsettled.Link => Link;
}

internal interface IUnsettled
{
    AmqpLink Link { get; }
}

/// <summary>What one direction of a session has not settled, by delivery-id (AMQP 1.0 §2.6.12).</summary>
/// <param name="allowance">counts them for the whole connection; null: nobody does</param>
internal sealed class UnsettledDeliveries<T>(Allowance? allowance) where T : struct, IUnsettled
{
    // Made with the first: a session may have links for long, and no messages.
    private Dictionary<uint, T>? _byId;

    public int Count => _byId?.Count ?? 0;

    public bool TryAdd(uint id, T delivery)
    {
        if (!(_byId ??= []).TryAdd(id, delivery))
            return false;
        if (allowance is not null)
            allowance.Unsettled.Add(1);
        return true;
    }

    public bool Has(uint id, AmqpLink link) => _byId is not null && _byId.TryGetValue(id, out var delivery) && delivery.Link == link;

    public void Remove(uint id)
    {
        if (_byId?.Remove(id) == true && allowance is not null)
            allowance.Unsettled.Add(-1);
    }

    /// <summary>Lists those of the range, and forgets them when the peer settles.</summary>
    public void Report(in Disposition range, List<(uint, T)> into)
    {
        if (_byId is null)
            return;
        var length = (long)SerialNumber.Distance(range.Last, range.First) + 1;
        if (length <= _byId.Count)
            Walk(_byId, range, into);
        else
            Search(_byId, range, into);
        if (!range.Settled)
            return;
        foreach (var (id, _) in into)
            Remove(id);
    }

    /// <summary>Forgets all of a link.</summary>
    public void Forget(AmqpLink link)
    {
        foreach (var (id, delivery) in _byId ?? [])
        {
            if (delivery.Link == link)
                Remove(id);
        }
    }

    private static void Walk(Dictionary<uint, T> byId, in Disposition range, List<(uint, T)> into)
    {
        for (var id = range.First; ; id++)
        {
            if (byId.TryGetValue(id, out var delivery))
                into.Add((id, delivery));
            if (id == range.Last)
                return;
        }
    }

    // A range may be as long as the peer likes; only what is here counts.
    private static void Search(Dictionary<uint, T> byId, Disposition range, List<(uint Id, T)> into)
    {
        foreach (var (id, delivery) in byId)
        {
            if (SerialNumber.Distance(id, range.First) >= 0 && SerialNumber.Distance(range.Last, id) >= 0)
                into.Add((id, delivery));
        }
        into.Sort((a, b) => SerialNumber.Distance(a.Id, b.Id));
    }
}
