namespace DroneDelivery.Model.Simulation.Queue;

/// <summary>Whole numbers, the smallest first.</summary>
internal sealed class NumberHeap
{
    private int[] _heap = new int[256];

    public int Count { get; private set; }

    public int First => _heap[0];

    public void Add(int number)
    {
        if (Count == _heap.Length)
            Array.Resize(ref _heap, 2 * Count);
        var i = Count++;
        for (var parent = (i - 1) / 2; i > 0 && number < _heap[parent]; parent = (i - 1) / 2)
        {
            _heap[i] = _heap[parent];
            i = parent;
        }

        _heap[i] = number;
    }

    public int Take()
    {
        var first = _heap[0];
        var last = _heap[--Count];
        var i = 0;
        for (var child = 1; child < Count; child = 2 * i + 1)
        {
            if (child + 1 < Count && _heap[child + 1] < _heap[child])
                child++;
            if (_heap[child] >= last)
                break;
            _heap[i] = _heap[child];
            i = child;
        }

        _heap[i] = last;
        return first;
    }
}
