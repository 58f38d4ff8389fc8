namespace DroneDelivery.Amqp;

internal readonly record struct UnsettledDelivery(AmqpLink Link, object? Context);

/// <summary>The unsettled deliveries of one direction of a session, by delivery ID (AMQP 1.0 §2.6.12).</summary>
internal sealed class UnsettledDeliveries(Level? count)
{
    // Allocated with the first delivery, because links can stay idle.
    private Dictionary<uint, UnsettledDelivery>? _byId;

    public int Count => _byId?.Count ?? 0;

    public bool TryAdd(uint id, AmqpLink link, object? context)
    {
        if (!(_byId ??= []).TryAdd(id, new(link, context)))
            return false;
        count?.Add(1);
        return true;
    }

    public bool Has(uint id, AmqpLink link) =>
        _byId is not null && _byId.TryGetValue(id, out var delivery) && delivery.Link == link;

    public void Remove(uint id)
    {
        if (_byId?.Remove(id) == true)
            count?.Add(-1);
    }

    /// <summary>Lists the deliveries in a range, and removes them if the peer has settled.</summary>
    public void Report(in Disposition range, List<(uint Id, UnsettledDelivery Delivery)> into)
    {
        if (_byId is null)
            return;
        var length = (long)SerialNumber.Distance(range.Last, range.First) + 1;
        if (length <= _byId.Count)
        {
            for (var id = range.First; length > 0; id++, length--)
            {
                if (_byId.TryGetValue(id, out var delivery))
                    into.Add((id, delivery));
            }
        }
        else
        {
            // Ranges can be arbitrarily long, so enumerate the existing deliveries instead.
            foreach (var (id, delivery) in _byId)
            {
                if (SerialNumber.Distance(id, range.First) >= 0 && SerialNumber.Distance(range.Last, id) >= 0)
                    into.Add((id, delivery));
            }
            into.Sort(static (one, other) => SerialNumber.Distance(one.Id, other.Id));
        }
        if (!range.Settled)
            return;
        foreach (var (id, _) in into)
            Remove(id);
    }

    public void Forget(AmqpLink link)
    {
        foreach (var (id, delivery) in _byId ?? [])
        {
            if (delivery.Link == link)
                Remove(id);
        }
    }
}
