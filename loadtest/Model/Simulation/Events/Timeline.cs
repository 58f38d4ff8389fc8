namespace DroneDelivery.Model.Simulation.Events;

/// <summary>The events to come, the earliest first: a binary heap in one array.</summary>
internal sealed class Timeline
{
    private Event[] _heap = new Event[256];
    private int _count;
    private int _planned;

    /// <summary>The time of the last event that was taken.</summary>
    public long Now { get; private set; }

    /// <summary>Events that were planned so far.</summary>
    public int Planned => _planned;

    /// <summary>When the next event is.</summary>
    public long NextAt => _count == 0 ? Time.Never : _heap[0].At;

    public void Plan(long at, EventKind kind, int who = 0, int what = 0, byte consumer = 0)
    {
        if (_count == _heap.Length)
            Array.Resize(ref _heap, 2 * _count);
        var added = new Event(at, _planned++, kind, consumer, who, what);
        var i = _count++;
        for (var parent = (i - 1) / 2; i > 0 && IsBefore(added, _heap[parent]); parent = (i - 1) / 2)
        {
            _heap[i] = _heap[parent];
            i = parent;
        }

        _heap[i] = added;
    }

    /// <summary>Takes the next event; there has to be one.</summary>
    public Event Take()
    {
        var first = _heap[0];
        var last = _heap[--_count];
        var i = 0;
        for (var child = 1; child < _count; child = 2 * i + 1)
        {
            if (child + 1 < _count && IsBefore(_heap[child + 1], _heap[child]))
                child++;
            if (!IsBefore(_heap[child], last))
                break;
            _heap[i] = _heap[child];
            i = child;
        }

        _heap[i] = last;
        Now = first.At;
        return first;
    }

    /// <summary>Something that is not planned here happens.</summary>
    public void Advance(long now) => Now = now;

    private static bool IsBefore(in Event a, in Event b) => a.At < b.At || (a.At == b.At && a.Order < b.Order);
}
