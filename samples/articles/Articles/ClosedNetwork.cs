namespace DroneDelivery.Articles;

/// <summary>A closed queueing network: hosts, and users who send their next request after a response.</summary>
internal sealed record Network(int Users, double Seconds, int Seed)
{
    /// <summary>The time of a user's first request, in seconds; <c>null</c> for all at once.</summary>
    public Func<int, double>? JoinsAt { get; init; }

    /// <summary>Think time in seconds; <c>null</c> for none.</summary>
    public Func<Random, double>? Think { get; init; }

    /// <summary>Minimum time between two requests of all users, in seconds.</summary>
    public double Pace { get; init; }

    /// <summary>Maximum number of concurrent requests of a host.</summary>
    public required int Slots { get; init; }

    /// <summary>Number of cores of a host, each of which serves one request; 0 to share the CPU among requests.</summary>
    public int Cores { get; init; }

    /// <summary>Whether a request uses the first available slot of any host.</summary>
    public bool IsPooled { get; init; }

    /// <summary>Returns the host of a user's request, by the number of hosts.</summary>
    public Func<int, int, int> HostOf { get; init; } = (_, _) => 0;

    /// <summary>Time in seconds after which a full host rejects a request; <c>null</c> to let it wait.</summary>
    public double? Refusal { get; init; }

    /// <summary>CPU time of a request in seconds, drawn on arrival.</summary>
    public Func<Random, Work> Work { get; init; } = _ => default;

    /// <summary>
    /// CPU time of a request in seconds, drawn at its start, by the number of requests in its host; <c>null</c> for that of its work.
    /// </summary>
    public Func<Random, int, double>? SharedCpu { get; init; }

    /// <summary>Wait time of a request in seconds, drawn after its CPU time; <c>null</c> for that of its work.</summary>
    public Func<Random, Work, double, double>? WaitAfter { get; init; }

    /// <summary>Time from which latencies are measured, in seconds.</summary>
    public double MeasuredFrom { get; init; }

    /// <summary>Maximum number of simulated requests.</summary>
    public int MostRequests { get; init; } = int.MaxValue;
}

/// <param name="Wait">The wait time after the CPU time, in seconds.</param>
internal readonly record struct Work(double Cpu, double Wait = 0, bool IsForwarded = false);

/// <summary>Simulates a closed network by discrete events, hours in seconds.</summary>
internal sealed class ClosedNetwork(Network network)
{
    private readonly PriorityQueue<Action, double> _events = new();
    private readonly List<Host> _hosts = [];
    private readonly Pool _shared = new();
    private readonly List<double> _latencies = [];
    private readonly AnswerBins _answered = new(network.Seconds);
    private readonly int[] _active = new int[(int)Math.Ceiling(network.Seconds)];
    private double _nextSend;
    private double _latency;
    private long _refused;

    public double Now { get; private set; }

    public Random Random { get; } = new(network.Seed);

    public int Hosts => _hosts.Count;

    public void Plan(double at, Action happen) => _events.Enqueue(happen, at);

    public void AddHost() => Open(Add());

    /// <summary>Adds a host that becomes available later.</summary>
    public void AddHost(double readyIn)
    {
        var host = Add();
        Plan(Now + readyIn, () => Open(host));
    }

    public NetworkResult Run(CancellationToken cancellationToken)
    {
        for (var user = 0; user < network.Users; user++)
            Join(user);
        while (_events.TryDequeue(out var happen, out var time) && time < network.Seconds)
        {
            cancellationToken.ThrowIfCancellationRequested();
            Now = time;
            happen();
        }

        return new(network.Seconds - network.MeasuredFrom, _latencies, _latency, _refused)
        {
            Throughput = _answered.PerSecond("answered"),
            ActiveHosts = _active,
        };
    }

    private Host Add()
    {
        var host = new Host(network.Cores, network.IsPooled ? _shared : new());
        _hosts.Add(host);
        return host;
    }

    private void Open(Host host)
    {
        for (var i = 0; i < network.Slots; i++)
            host.Pool.Free.Enqueue(host);
        Serve(host.Pool);
    }

    private void Join(int user)
    {
        if (network.JoinsAt is not { } joinsAt)
            Send(user);
        else
            Plan(joinsAt(user), () => Begin(user));
    }

    private void Begin(int user)
    {
        if (network.Pace > 0)
            SendNext(user);
        else
            Send(user);
    }

    private void SendNext(int user)
    {
        if (network.Pace > 0)
        {
            _nextSend = Math.Max(Now, _nextSend) + network.Pace;
            Plan(_nextSend, () => Send(user));
        }
        else if (network.Think is { } think)
        {
            Plan(Now + think(Random), () => Send(user));
        }
        else
        {
            Send(user);
        }
    }

    private void Send(int user)
    {
        var pool = network.IsPooled ? _shared : _hosts[network.HostOf(user, _hosts.Count)].Pool;
        if (network.Refusal is { } seconds && pool.Free.Count == 0)
        {
            Plan(Now + seconds, () => Refuse(user));
            return;
        }

        pool.Waiting.Enqueue(new(user, Now, network.Work(Random)));
        Serve(pool);
    }

    private void Refuse(int user)
    {
        _refused++;
        SendNext(user);
    }

    private void Serve(Pool pool)
    {
        while (pool.Free.Count > 0 && pool.Waiting.TryDequeue(out var request))
            Serve(pool.Free.Dequeue(), request);
    }

    private void Serve(Host host, Request request)
    {
        host.Inside++;
        var cpu = network.SharedCpu?.Invoke(Random, host.Inside) ?? request.Work.Cpu;
        var done = host.DoneAt(Now, cpu);
        if (network.WaitAfter is null)
            Plan(done + request.Work.Wait, () => Answer(host, request));
        else
            Plan(done, () => Wait(host, request, network.WaitAfter));
    }

    private void Wait(Host host, Request request, Func<Random, Work, double, double> waitAfter)
    {
        var wait = waitAfter(Random, request.Work, Now);
        Plan(Now + wait, () => Answer(host, request));
    }

    private void Answer(Host host, Request request)
    {
        host.Inside--;
        _answered.Add(Now);
        CountActive(host, (int)Now);
        if (Now >= network.MeasuredFrom)
        {
            var latency = Now - request.Since;
            _latencies.Add(latency);
            _latency += latency;
        }
        if (_latencies.Count > network.MostRequests)
        {
            throw new Lab.LabException(
                $"This run would send more than {network.MostRequests:#,0} requests. Shorten the load or increase the service time."
            );
        }
        host.Pool.Free.Enqueue(host);
        SendNext(request.User);
        Serve(host.Pool);
    }

    private void CountActive(Host host, int second)
    {
        if (host.LastActive == second)
            return;
        host.LastActive = second;
        _active[second]++;
    }

    private readonly record struct Request(int User, double Since, Work Work);

    /// <summary>Slots and waiting requests, in order of arrival.</summary>
    private sealed class Pool
    {
        public Queue<Host> Free { get; } = [];

        public Queue<Request> Waiting { get; } = [];
    }

    private sealed class Host(int cores, Pool pool)
    {
        private readonly double[] _freeAt = new double[cores];

        public Pool Pool => pool;

        public int Inside { get; set; }

        public int LastActive { get; set; } = -1;

        /// <summary>Returns the time at which a request that arrives now has used its CPU time.</summary>
        public double DoneAt(double now, double cpu)
        {
            if (cores == 0)
                return now + cpu;
            var core = Array.IndexOf(_freeAt, _freeAt.Min());
            var begins = Math.Max(now, _freeAt[core]);
            _freeAt[core] = begins + cpu;
            return _freeAt[core];
        }
    }
}

/// <param name="Seconds">The duration of the measurement.</param>
/// <param name="Latencies">The latency of each response, in seconds.</param>
/// <param name="Latency">The sum of the latencies.</param>
internal sealed record NetworkResult(double Seconds, IReadOnlyList<double> Latencies, double Latency, long Refused)
{
    private readonly double[] _sorted = [.. Latencies.Order()];

    /// <summary>Responses per second, in bins of five seconds.</summary>
    public required ChartLine Throughput { get; init; }

    /// <summary>Number of hosts that completed requests in each second.</summary>
    public required IReadOnlyList<int> ActiveHosts { get; init; }

    public int Answered => Latencies.Count;

    public double PerSecond => Answered / Seconds;

    public double Peak => Throughput.Values.Max();

    public double MeanSeconds => Answered == 0 ? double.NaN : Latency / Answered;

    /// <summary>Users in the network by Little's law: throughput × latency.</summary>
    public double UsersInside => PerSecond * MeanSeconds;

    /// <returns>The percentile, in seconds.</returns>
    public double Percentile(double share)
    {
        if (Answered == 0)
            return double.NaN;
        var rank = (int)((_sorted.Length - 1) * share);
        return _sorted[rank];
    }
}

internal sealed class AnswerBins(double seconds)
{
    private const double Width = 5;
    private readonly int[] _counts = new int[Math.Max(1, (int)(seconds / Width))];

    // Adds a response, but none to the last bin, which is incomplete.
    public void Add(double now)
    {
        var bin = (int)(now / Width);
        _counts[Math.Min(bin, _counts.Length - 1)]++;
    }

    /// <summary>Returns the rates, at the middle of their bins.</summary>
    public ChartLine PerSecond(string name)
    {
        var middles = new List<double>();
        var rates = new List<double>();
        for (var bin = 0; bin < _counts.Length; bin++)
        {
            var width = WidthOf(bin);
            middles.Add(bin * Width + width / 2);
            rates.Add(_counts[bin] / width);
        }
        return new(name, middles, rates);
    }

    private double WidthOf(int bin)
    {
        var isLast = bin == _counts.Length - 1;
        return isLast ? seconds - bin * Width : Width;
    }
}
