using DroneDelivery.Amqp;
using DroneDelivery.LocalServiceBus.Entities;

namespace DroneDelivery.LocalServiceBus.Access;

/// <summary>The tokens of one AMQP connection, one for each entity, and the links that exist because of them. When a token runs out and no
/// other has come, its links end.</summary>
/// <param name="login">What the client got with SASL PLAIN; null: nothing.</param>
/// <param name="onRunOut">Told each link that may not go on; on any thread.</param>
/// <param name="onPatienceEnded">Told once that the client has shown nothing for too long; on any thread.</param>
internal sealed class ConnectionAccess(
    AccessRules rules,
    Grant? login,
    Defects defects,
    Action<AmqpLink> onRunOut,
    Action onPatienceEnded
) : IDisposable
{
    /// <summary>So long a connection may be without a token: it has a place that others need.</summary>
    public static readonly TimeSpan Patience = TimeSpan.FromMinutes(1);

    // Few clients use so many entities; each may have many links.
    private const int MostGrants = 2048;

    private readonly Lock _gate = new();
    private readonly Dictionary<string, Grant> _grants = new(StringComparer.OrdinalIgnoreCase);
    private readonly Dictionary<AmqpLink, (string Path, AccessRights AnyOf)> _links = [];
    private DateTimeOffset _patienceEndsAt = DateTimeOffset.MaxValue;
    private DueTimer? _timer;
    private bool _isDisposed;

    /// <summary>Expects a token from now on, unless the client has logged in.</summary>
    public void Start()
    {
        if (!rules.AreRequired || login is not null)
            return;
        lock (_gate)
        {
            _patienceEndsAt = rules.Time.GetUtcNow() + Patience;
            SetTimer();
        }
    }

    /// <summary>Takes a token for an entity, in place of an earlier one.</summary>
    /// <param name="token">As the client sent it.</param>
    /// <param name="path">The entity that the client wants to use; empty: the namespace.</param>
    /// <param name="isThere">Whether there is such an entity. Nothing is kept for others: their names are the client's own.</param>
    /// <returns>Why it is not good; null: it is.</returns>
    public string? Put(string? token, string path, bool isThere)
    {
        if (!rules.AreRequired)
            return null;
        if (rules.Check(token ?? "", out var why) is not { } grant)
            return why;
        if (!grant.Covers(path, AccessRights.All))
            return $"The token is for '{Excerpt.Of(grant.Path)}', not for '{Excerpt.Of(path)}'.";
        if (!isThere)
            return null;
        AmqpLink[] ending;
        lock (_gate)
        {
            if (_grants.Count >= MostGrants && !_grants.ContainsKey(path))
                return $"A connection has tokens for {MostGrants} entities at most.";
            _grants[path] = grant with { Path = path };
            _patienceEndsAt = DateTimeOffset.MaxValue;
            SetTimer();
            ending = NotAllowed();
        }
        Array.ForEach(ending, onRunOut);
        return null;
    }

    /// <summary>Why the client may not; null: it may.</summary>
    /// <param name="anyOf">Rights of which one is enough.</param>
    public AmqpError? Refuse(string path, AccessRights anyOf)
    {
        lock (_gate)
        {
            if (Allows(path, anyOf))
                return null;
        }
        var claims = $"{anyOf}".Replace(", ", " or ", StringComparison.Ordinal);
        return new AmqpError(
            ErrorConditions.UnauthorizedAccess,
            $"Unauthorized access. The claim {claims} is required for '{Excerpt.Of(path)}': "
                + "put a token to $cbs, or log in with SASL PLAIN."
        );
    }

    /// <summary>The link exists only as long as this is allowed.</summary>
    public void Guard(AmqpLink link, string path, AccessRights anyOf)
    {
        if (!rules.AreRequired)
            return;
        lock (_gate)
        {
            _links[link] = (path, anyOf);
            if (Allows(path, anyOf))
                return;
        }
        // The token has run out since the link was allowed.
        onRunOut(link);
    }

    public void Release(AmqpLink link)
    {
        lock (_gate)
            _links.Remove(link);
    }

    public void Dispose()
    {
        lock (_gate)
        {
            _isDisposed = true;
            _timer?.Dispose();
        }
    }

    private bool Allows(string path, AccessRights anyOf)
    {
        if (!rules.AreRequired || login?.Covers(path, anyOf) == true)
            return true;
        var now = rules.Time.GetUtcNow();
        var grants = _grants.GetAlternateLookup<ReadOnlySpan<char>>();
        // The entity's own token, or one for what it is in: "a/b" is in "a", and everything in the namespace.
        for (var part = path.AsSpan(); ; part = part[..Math.Max(0, part.LastIndexOf('/'))])
        {
            if (grants.TryGetValue(part, out var grant) && grant.EndsAt > now && grant.Covers(path, anyOf))
                return true;
            if (part.Length == 0)
                return false;
        }
    }

    private AmqpLink[] NotAllowed() =>
        [.. _links.Where(link => !Allows(link.Value.Path, link.Value.AnyOf)).Select(link => link.Key)];

    private void SetTimer()
    {
        if (_isDisposed || (_grants.Count == 0 && _patienceEndsAt == DateTimeOffset.MaxValue))
            return;
        // Made anew, as tokens end by the machine's clock and a timer's own does not follow that back.
        _timer?.Dispose();
        _timer = new DueTimer(new MonotonicClock(rules.Time), () => defects.Guard("the timer of tokens", OnTimer));
        _timer.Rearm(_grants.Count > 0 ? _grants.Values.Min(grant => grant.EndsAt) : _patienceEndsAt);
    }

    private void OnTimer()
    {
        AmqpLink[] ending;
        bool isOver;
        lock (_gate)
        {
            var now = rules.Time.GetUtcNow();
            isOver = Expire(now);
            ending = NotAllowed();
            SetTimer();
        }
        Array.ForEach(ending, onRunOut);
        if (isOver)
            onPatienceEnded();
    }

    /// <returns>Whether the client's time to show a token is over.</returns>
    private bool Expire(DateTimeOffset now)
    {
        var had = _grants.Count;
        foreach (var (path, grant) in _grants)
        {
            if (grant.EndsAt <= now)
                _grants.Remove(path);
        }
        var isOver = _patienceEndsAt <= now;
        if (isOver)
            _patienceEndsAt = DateTimeOffset.MaxValue;
        else if (had > 0 && _grants.Count == 0 && login is null)
            _patienceEndsAt = now + Patience;
        return isOver;
    }
}
