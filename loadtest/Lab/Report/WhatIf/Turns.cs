namespace DroneDelivery.Lab.Report;

/// <summary>
/// One simulation at a time, and for each page only the newest: a question that another one of the same page has overtaken while it waited
/// is dropped.
/// </summary>
internal sealed class Turns : IDisposable
{
    /// <summary>Questions that wait, those of all pages together.</summary>
    public const int MostWaiting = 32;

    private const int MostPages = 256;

    private readonly SemaphoreSlim _one = new(1);
    private readonly Lock _lock = new();
    private readonly Dictionary<string, long> _newest = [];
    private int _waiting;

    /// <summary>Pages whose newest question is known.</summary>
    internal int Remembered
    {
        get
        {
            lock (_lock)
                return _newest.Count;
        }
    }

    /// <param name="page">Whose question it is.</param>
    /// <param name="turn">Counts up with each question of a page.</param>
    /// <param name="work">What answers it.</param>
    /// <param name="cancellationToken">Who asks has left.</param>
    /// <returns>Null: it was overtaken, and nothing was done.</returns>
    /// <exception cref="CrowdedException">Too many wait already.</exception>
    public async Task<T?> TakeAsync<T>(string page, long turn, Func<T> work, CancellationToken cancellationToken)
        where T : class
    {
        Announce(page, turn);
        await WaitAsync(cancellationToken);
        try
        {
            return IsOvertaken(page, turn) ? null : work();
        }
        finally
        {
            _one.Release();
        }
    }

    public void Dispose() => _one.Dispose();

    private async Task WaitAsync(CancellationToken cancellationToken)
    {
        try
        {
            if (Interlocked.Increment(ref _waiting) > MostWaiting)
                throw new CrowdedException();
            await _one.WaitAsync(cancellationToken);
        }
        finally
        {
            Interlocked.Decrement(ref _waiting);
        }
    }

    private void Announce(string page, long turn)
    {
        lock (_lock)
        {
            // Nobody looks at so many pages; those that are forgotten wait for their turn like all others.
            if (_newest.Count >= MostPages && !_newest.ContainsKey(page))
                _newest.Clear();
            _newest[page] = Math.Max(turn, _newest.GetValueOrDefault(page, long.MinValue));
        }
    }

    private bool IsOvertaken(string page, long turn)
    {
        lock (_lock)
            return _newest.TryGetValue(page, out var newest) && newest > turn;
    }
}

/// <summary>More questions wait than are let in.</summary>
internal sealed class CrowdedException() : Exception($"{Turns.MostWaiting} questions wait already. Ask again when they are answered.");
