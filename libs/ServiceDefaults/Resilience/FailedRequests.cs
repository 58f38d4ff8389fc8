namespace DroneDelivery.ServiceDefaults.Resilience;

/// <summary>
/// Tells a service that fails every request from requests that fail alone: many different ones fail and none succeeds. A request that has
/// failed before a success and fails again after it fails by its own fault, so it is not counted once that has happened twice. Thread-safe.
/// </summary>
internal sealed class FailedRequests
{
    private const int OwnFault = 2;

    /// <summary>Of each kind. More of them tell nothing new, and those that are forgotten are learned again.</summary>
    private const int MostRemembered = 1_000;

    private readonly Lock _lock = new();
    private readonly HashSet<string> _sinceSuccess = [];
    private readonly Dictionary<string, int> _successesOutlived = [];
    private volatile bool _isEmpty = true;

    /// <returns>How many different requests have failed since the last success, without those that fail by their own fault.</returns>
    public int Add(string request)
    {
        lock (_lock)
        {
            if (_successesOutlived.GetValueOrDefault(request) < OwnFault && _sinceSuccess.Count < MostRemembered)
                _sinceSuccess.Add(request);
            _isEmpty = _sinceSuccess.Count == 0;
            return _sinceSuccess.Count;
        }
    }

    /// <summary>Some request has succeeded.</summary>
    public void Succeeded()
    {
        // Read first: this runs on every call, and most of the time nothing has failed.
        if (_isEmpty)
            return;
        lock (_lock)
        {
            if (_successesOutlived.Count + _sinceSuccess.Count > MostRemembered)
                _successesOutlived.Clear();
            foreach (var request in _sinceSuccess)
                _successesOutlived[request] = _successesOutlived.GetValueOrDefault(request) + 1;
            _sinceSuccess.Clear();
            _isEmpty = true;
        }
    }

    /// <summary>The service was away, and is there again: what failed meanwhile says nothing of the requests.</summary>
    public void Forget()
    {
        lock (_lock)
        {
            _sinceSuccess.Clear();
            _isEmpty = true;
        }
    }
}
