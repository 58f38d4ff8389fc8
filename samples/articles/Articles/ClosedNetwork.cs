namespace DroneDelivery.Articles;

/// <summary>Hosts, and users who send their next request when they have their answer.</summary>
internal sealed record Network(int Users, double Seconds, int Seed)
{
    /// <summary>When a user sends the first request; null: all at once.</summary>
    public Func<int, double>? JoinsAt { get; init; }

    /// <summary>Seconds between an answer and the user's next request; null: none.</summary>
    public Func<Random, double>? Think { get; init; }

    /// <summary>Seconds between two requests of all users, at least.</summary>
    public double Pace { get; init; }

    /// <summary>Requests that a host holds at a time.</summary>
    public required int Slots { get; init; }

    /// <summary>Cores of a host, each of which serves one request; 0: requests share its CPU.</summary>
    public int Cores { get; init; }

    /// <summary>Whether a request takes the first slot that is free, of any host, instead of one of its host.</summary>
    public bool IsPooled { get; init; }

    /// <summary>Number of the host of a user's request, of so many hosts.</summary>
    public Func<int, int, int> HostOf { get; init; } = (_, _) => 0;

    /// <summary>Seconds after which a full host rejects a request. If null, the request waits.</summary>
    public double? Refusal { get; init; }

    /// <summary>CPU seconds of a request, drawn when it arrives.</summary>
    public Func<Random, Work> Work { get; init; } = _ => default;

    /// <summary>CPU seconds of a request, drawn when it begins, by the number of requests in its host; null: those of its work.</summary>
    public Func<Random, int, double>? SharedCpu { get; init; }

    /// <summary>Seconds for which a request waits for something else, drawn when its CPU time is over; null: those of its work.</summary>
    public Func<Random, Work, double, double>? WaitAfter { get; init; }

    /// <summary>From when on latencies are counted.</summary>
    public double MeasuredFrom { get; init; }

    /// <summary>The most requests that a simulation answers.</summary>
    public int MostRequests { get; init; } = int.MaxValue;
}

/// <param name="Wait">Seconds after the CPU time.</param>
internal readonly record struct Work(double Cpu, double Wait = 0, bool IsForwarded = false);

/// <summary>Simulates a closed network event by event: hours pass in seconds.</summary>
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

    /// <summary>A host that takes its first request later.</summary>
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

    /// <summary>Slots, and the requests that wait for one; both in the order in which they came.</summary>
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

        /// <summary>When a request that comes now has had its CPU time.</summary>
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

/// <param name="Seconds">For which latencies were counted.</param>
/// <param name="Latencies">Seconds of each answer, as its user sees it.</param>
/// <param name="Latency">Their sum.</param>
internal sealed record NetworkResult(double Seconds, IReadOnlyList<double> Latencies, double Latency, long Refused)
{
    private readonly double[] _sorted = [.. Latencies.Order()];

    /// <summary>Answers a second, in bins of five seconds from the beginning on.</summary>
    public required ChartLine Throughput { get; init; }

    /// <summary>Hosts that answered a request in each second.</summary>
    public required IReadOnlyList<int> ActiveHosts { get; init; }

    public int Answered => Latencies.Count;

    public double PerSecond => Answered / Seconds;

    public double Peak => Throughput.Values.Max();

    public double MeanSeconds => Answered == 0 ? double.NaN : Latency / Answered;

    /// <summary>Users inside by Little's law: throughput × latency.</summary>
    public double UsersInside => PerSecond * MeanSeconds;

    /// <returns>Seconds.</returns>
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

    // The last one has what is left of the time: in a short one a rate would be chance.
    public void Add(double now)
    {
        var bin = (int)(now / Width);
        _counts[Math.Min(bin, _counts.Length - 1)]++;
    }

    /// <summary>A rate belongs to the whole bin: it stands at its middle.</summary>
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
