using DroneDelivery.Model.Simulation.Events;
using DroneDelivery.Model.Simulation.Nodes;

namespace DroneDelivery.Model.Simulation.Users;

/// <summary>
/// The users, who start in steps. A user's next request is due one interval after the previous one was due, but not before its response.
/// Requests are distributed round robin.
/// </summary>
internal sealed class UserPopulation
{
    private readonly UsersSetting _setting;
    private readonly Cluster _cluster;
    private readonly Timeline _timeline;
    private readonly RandomSource _random;
    private readonly long _end;
    private readonly long[] _due;
    private readonly int[] _sent;
    private readonly UserRandom[] _randoms;

    public UserPopulation(UsersSetting setting, Cluster cluster, Timeline timeline, RandomSource random, int seed)
    {
        (_setting, _cluster, _timeline, _random) = (setting, cluster, timeline, random);
        _end = Time.FromSeconds(setting.DurationSeconds);
        (_due, _sent, _randoms) = (new long[setting.Most], new int[setting.Most], new UserRandom[setting.Most]);
        for (var user = 0; user < setting.Most; user++)
        {
            _due[user] = Time.FromSeconds(setting.StartOf(user));
            _randoms[user] = new(seed, user);
            PlanNext(user);
        }
    }

    public int Waiting { get; private set; }

    public long Accepted { get; private set; }

    public long Failed { get; private set; }

    public bool IsGone(int replica) => _cluster.Ingestion.Dead.Contains(replica);

    public void Send(int user)
    {
        Waiting++;
        _due[user] += Time.FromMilliseconds(_setting.EveryMilliseconds * NextInterval(user));
        var replica = (user + 1 + _sent[user]++) % _cluster.Ingestion.NodeOf.Length;
        // A load driver doesn't try another replica.
        _timeline.Plan(IsGone(replica) ? _timeline.Now : AnswerOf(replica), EventKind.Accept, user, replica);
        if (_setting.Open)
            PlanNext(user);
    }

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
            ? Math.Max(worked, _timeline.Now + Time.FromMilliseconds(_random.Next(latency)))
            : worked;
    }

    private void PlanNext(int user)
    {
        if (_due[user] < _end)
            _timeline.Plan(_due[user], EventKind.Send, user);
    }

    private double NextInterval(int user) =>
        _setting.Random
            ? -Math.Log(1 - _randoms[user].NextUniform())
            : 1 + _setting.Jitter * (2 * _randoms[user].NextUniform() - 1);
}
