namespace DroneDelivery.Model.Simulation.Events;

/// <summary>First in, first out, in one array that grows when it is full.</summary>
internal sealed class Ring<T>(int capacity = 16)
{
    private T[] _items = new T[Math.Max(1, capacity)];
    private int _head;

    public int Count { get; private set; }

    public ref readonly T First => ref _items[_head];

    public void Add(in T item)
    {
        if (Count == _items.Length)
            Grow();
        var tail = _head + Count++;
        _items[tail < _items.Length ? tail : tail - _items.Length] = item;
    }

    public T Take()
    {
        var item = _items[_head];
        _head = _head + 1 < _items.Length ? _head + 1 : 0;
        Count--;
        return item;
    }

    private void Grow()
    {
        var larger = new T[2 * _items.Length];
        for (var i = 0; i < Count; i++)
            larger[i] = _items[(_head + i) % _items.Length];
        (_items, _head) = (larger, 0);
    }
}
