using DroneDelivery.Amqp;
using DroneDelivery.LocalServiceBus.Entities;

namespace DroneDelivery.LocalServiceBus.Access;

/// <summary>The tokens of one AMQP connection, at most one per entity. Closes the links of a token when it expires
/// without a replacement.</summary>
/// <param name="login">The access from SASL PLAIN; <c>null</c> if the client didn't log in.</param>
/// <param name="onExpired">Called for each link that loses its permission, on any thread.</param>
/// <param name="onTokenTimeout">Called once if the client sends no token in time, on any thread.</param>
internal sealed class ConnectionAccess(
    AccessRules rules,
    Grant? login,
    Defects defects,
    Action<AmqpLink> onExpired,
    Action onTokenTimeout
) : IDisposable
{
    /// <summary>The maximum time that a connection may stay unauthenticated.</summary>
    public static readonly TimeSpan TokenTimeout = TimeSpan.FromMinutes(1);

    private const int MaxGrants = 2048;

    private readonly Lock _gate = new();
    private readonly Dictionary<string, Grant> _grants = new(StringComparer.OrdinalIgnoreCase);
    private readonly Dictionary<AmqpLink, (string Path, AccessRights AnyOf)> _links = [];
    private DateTimeOffset _tokenDeadline = DateTimeOffset.MaxValue;
    private DueTimer? _timer;
    private bool _isDisposed;

    public void Start()
    {
        if (!rules.AreRequired || login is not null)
            return;
        lock (_gate)
        {
            _tokenDeadline = rules.Time.GetUtcNow() + TokenTimeout;
            SetTimer();
        }
    }

    /// <summary>Stores a token for an entity, replacing an earlier one.</summary>
    /// <param name="exists"><c>true</c> if the entity exists. Tokens for other names are checked but not stored, to
    /// bound the memory.</param>
    /// <returns>The reason for the rejection; <c>null</c> if the token is valid.</returns>
    public string? Put(string? token, string path, bool exists)
    {
        if (!rules.AreRequired)
            return null;
        if (rules.Check(token ?? "", out var why) is not { } grant)
            return why;
        if (!grant.Covers(path, AccessRights.All))
            return $"The token is for '{Excerpt.Of(grant.Path)}', not for '{Excerpt.Of(path)}'.";
        if (!exists)
            return null;
        AmqpLink[] ending;
        lock (_gate)
        {
            if (_grants.Count >= MaxGrants && !_grants.ContainsKey(path))
                return $"A connection can have tokens for at most {MaxGrants} entities.";
            _grants[path] = grant with { Path = path };
            _tokenDeadline = DateTimeOffset.MaxValue;
            SetTimer();
            ending = NotAllowed();
        }
        Array.ForEach(ending, onExpired);
        return null;
    }

    /// <summary><c>null</c> if the client has the permission; otherwise, the error to return.</summary>
    public AmqpError? Check(string path, AccessRights anyOf)
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
        // The token expired after the link was allowed.
        onExpired(link);
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
        // A token for "a" also covers "a/b", and one for the namespace covers everything.
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
        if (_isDisposed || (_grants.Count == 0 && _tokenDeadline == DateTimeOffset.MaxValue))
            return;
        // Create a new timer each time: tokens expire by the system clock, which can be set back, and timers ignore
        // that.
        _timer?.Dispose();
        _timer = new DueTimer(new MonotonicClock(rules.Time), () => defects.Guard("the token timer", OnTimer));
        _timer.Rearm(_grants.Count > 0 ? _grants.Values.Min(grant => grant.EndsAt) : _tokenDeadline);
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
        Array.ForEach(ending, onExpired);
        if (isOver)
            onTokenTimeout();
    }

    private bool Expire(DateTimeOffset now)
    {
        var had = _grants.Count;
        foreach (var (path, grant) in _grants)
        {
            if (grant.EndsAt <= now)
                _grants.Remove(path);
        }
        var isOver = _tokenDeadline <= now;
        if (isOver)
            _tokenDeadline = DateTimeOffset.MaxValue;
        else if (had > 0 && _grants.Count == 0 && login is null)
            _tokenDeadline = now + TokenTimeout;
        return isOver;
    }
}
