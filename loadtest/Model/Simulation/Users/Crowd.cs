using DroneDelivery.Model.Simulation.Events;
using DroneDelivery.Model.Simulation.Nodes;

namespace DroneDelivery.Model.Simulation.Users;

/// <summary>
/// Users who come in steps. A user's next request is due an interval after the last one was due, and not before the last one is answered.
/// Requests go to the replicas of Ingestion in turn.
/// </summary>
internal sealed class Crowd
{
    private readonly UsersSetting _setting;
    private readonly Cluster _cluster;
    private readonly Timeline _timeline;
    private readonly Chance _chance;
    private readonly long _end;
    private readonly long[] _due;
    private readonly int[] _sent;
    private readonly UserChance[] _chances;

    public Crowd(UsersSetting setting, Cluster cluster, Timeline timeline, Chance chance, int seed)
    {
        (_setting, _cluster, _timeline, _chance) = (setting, cluster, timeline, chance);
        _end = Time.FromSeconds(setting.DurationSeconds);
        (_due, _sent, _chances) = (new long[setting.Most], new int[setting.Most], new UserChance[setting.Most]);
        for (var user = 0; user < setting.Most; user++)
        {
            _due[user] = Time.FromSeconds(setting.StartOf(user));
            _chances[user] = new(seed, user);
            PlanNext(user);
        }
    }

    /// <summary>Requests sent and not answered.</summary>
    public int Waiting { get; private set; }

    public long Accepted { get; private set; }

    /// <summary>Requests that nobody answered.</summary>
    public long Failed { get; private set; }

    /// <summary>Whether the replica that a request went to is gone.</summary>
    public bool IsGone(int replica) => _cluster.Ingestion.Dead.Contains(replica);

    public void Send(int user)
    {
        Waiting++;
        _due[user] += Time.FromMilliseconds(_setting.EveryMilliseconds * NextInterval(user));
        var replica = (user + 1 + _sent[user]++) % _cluster.Ingestion.NodeOf.Length;
        // A load driver does not look for another replica.
        _timeline.Plan(IsGone(replica) ? _timeline.Now : AnswerOf(replica), EventKind.Accept, user, replica);
        if (_setting.Open)
            PlanNext(user);
    }

    /// <summary>A request has ended.</summary>
    public void End(int user, bool isAccepted)
    {
        Waiting--;
        Accepted += isAccepted ? 1 : 0;
        Failed += isAccepted ? 0 : 1;
        if (_setting.Open)
            return;
        _due[user] = Math.Max(_due[user], _timeline.Now);
        PlanNext(user);
    }

    private long AnswerOf(int replica)
    {
        var service = _cluster.Ingestion;
        var worked = _cluster.Hold(service, replica, _timeline.Now);
        return service.Latency is { } latency
            ? Math.Max(worked, _timeline.Now + Time.FromMilliseconds(_chance.Next(latency)))
            : worked;
    }

    private void PlanNext(int user)
    {
        if (_due[user] < _end)
            _timeline.Plan(_due[user], EventKind.Send, user);
    }

    private double NextInterval(int user) =>
        _setting.Random
            ? -Math.Log(1 - _chances[user].NextUniform())
            : 1 + _setting.Jitter * (2 * _chances[user].NextUniform() - 1);
}
