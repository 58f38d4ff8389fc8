using DroneDelivery.Amqp;
using DroneDelivery.LocalServiceBus.Entities;

namespace DroneDelivery.LocalServiceBus.Access;

/// <summary>The tokens of one AMQP connection, one for each entity, and the links that exist because of them. When a token runs out and no
/// other has come, its links end.</summary>
/// <param name="rules">Of the broker.</param>
/// <param name="login">What the client got with SASL PLAIN; null: nothing.</param>
/// <param name="time">Of the broker.</param>
/// <param name="defects">Told what goes wrong on the timer.</param>
/// <param name="onRunOut">Told links that may not go on; on any thread.</param>
internal sealed class ConnectionAccess(
    AccessRules rules, Grant? login, TimeProvider time, Defects defects, Action<IReadOnlyList<AmqpLink>> onRunOut) : IDisposable
{
    // A connection has fewer links than this.
    private const int MostGrants = 2048;

    // Timers take 49 days at most.
    private static readonly TimeSpan LongestWait = TimeSpan.FromDays(1), ShortestWait = TimeSpan.FromMilliseconds(1);

    private readonly Lock _gate = new();
    private readonly Dictionary<string, Grant> _grants = new(StringComparer.OrdinalIgnoreCase);
    private readonly Dictionary<AmqpLink, (string Path, AccessRights AnyOf)> _links = [];
    private ITimer? _timer;
    private bool _isDisposed;

    /// <summary>Takes a token for an entity, in place of an earlier one.</summary>
    /// <param name="token">As the client sent it.</param>
    /// <param name="path">The entity that the client wants to use; empty: the namespace.</param>
    /// <returns>Why it is not good; null: it is.</returns>
    public string? Put(string? token, string path)
    {
        if (!rules.AreRequired)
            return null;
        if (rules.Check(token ?? "", out var why) is not { } grant)
            return why;
        if (!grant.Covers(path, AccessRights.All))
            return $"The token is for '{Excerpt.Of(grant.Path)}', not for '{Excerpt.Of(path)}'.";
        lock (_gate)
        {
            if (_grants.Count >= MostGrants && !_grants.ContainsKey(path))
                return $"A connection has tokens for {MostGrants} entities at most.";
            _grants[path] = grant with { Path = path };
            SetTimer();
        }
        return null;
    }

    /// <summary>Why the client may not; null: it may.</summary>
    /// <param name="path">Of the entity.</param>
    /// <param name="anyOf">Rights of which one is enough.</param>
    public AmqpError? Refuse(string path, AccessRights anyOf)
    {
        lock (_gate)
        {
            return Allows(path, anyOf) ? null : new AmqpError(ErrorConditions.UnauthorizedAccess,
                $"Unauthorized access. The claim {anyOf} is required for '{Excerpt.Of(path)}': "
                + "put a token to $cbs, or log in with SASL PLAIN.");
        }
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
        onRunOut([link]);
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
        var now = time.GetUtcNow();
        // The entity's own token, or one for what it is in: "a/b" is in "a", and everything in the namespace.
        for (var part = path; ; part = part[..Math.Max(0, part.LastIndexOf('/'))])
        {
            if (_grants.TryGetValue(part, out var grant) && grant.EndsAt > now && grant.Covers(path, anyOf))
                return true;
            if (part.Length == 0)
                return false;
        }
    }

    private void SetTimer()
    {
        if (_isDisposed || _grants.Count == 0)
            return;
        var wait = _grants.Values.Min(grant => grant.EndsAt) - time.GetUtcNow();
        _timer ??= time.CreateTimer(_ => OnTimer(), null, Timeout.InfiniteTimeSpan, Timeout.InfiniteTimeSpan);
        _timer.Change(wait < ShortestWait ? ShortestWait : wait > LongestWait ? LongestWait : wait, Timeout.InfiniteTimeSpan);
    }

    private void OnTimer()
    {
        try
        {
            AmqpLink[] ending;
            lock (_gate)
            {
                var now = time.GetUtcNow();
                foreach (var (path, grant) in _grants)
                {
                    if (grant.EndsAt <= now)
                        _grants.Remove(path);
                }
                ending = [.. _links.Where(link => !Allows(link.Value.Path, link.Value.AnyOf)).Select(link => link.Key)];
                SetTimer();
            }
            if (ending.Length > 0)
                onRunOut(ending);
        }
        catch (Exception error)
        {
            // On the timer's thread it would end the process.
            defects.Report("the timer of tokens", error);
        }
    }
}
