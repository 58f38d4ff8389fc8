using DroneDelivery.Model.Figures;

namespace DroneDelivery.Model.Tests;

/// <summary>
/// Systems with known formulas. The simulator must agree within its own confidence interval. All intervals together
/// hold with 95 % (Bonferroni), and are narrow enough to detect a deviation of a few percent.
/// </summary>
public sealed class AnalyticTests
{
    private const int Seeds = 20;

    // Student's t for 19 degrees of freedom: two-sided 99.6 %, which is 5 % for the thirteen together.
    private const double T = 3.3;

    [Theory]
    [InlineData(1, 1, 5)]
    [InlineData(1, 1, 8)]
    [InlineData(1, 4, 32)]
    [InlineData(3, 2, 51)]
    [InlineData(2, 10, 180)]
    public void Handlers_behave_as_servers_of_M_M_c(int workflows, int calls, double rate)
    {
        const double Service = 0.1;
        var servers = workflows * calls;
        var expected = Service + ErlangC(servers, rate * Service) / (servers / Service - rate);

        Agree(
            expected,
            seed => SettledAges(Open(rate, workflows, calls, new ExponentialTime(1000 * Service)), seed).Average(),
            0.12
        );
    }

    [Fact]
    public void MM1_sojourn_times_are_exponential() =>
        Agree(
            -Math.Log(0.05) / (10 - 6),
            seed => Percentiles.Of(SettledAges(Open(6, 1, 1, new ExponentialTime(100)), seed)).P95,
            0.05
        );

    [Fact]
    public void Log_normal_handling_waits_as_in_M_G_1()
    {
        var (mean, sigma, rate) = (0.1, 0.8, 6.0);
        var meanOfSquares = mean * mean * Math.Exp(sigma * sigma);
        var expected = mean + rate * meanOfSquares / (2 * (1 - rate * mean));
        var handling = new LogNormal(Math.Log(1000 * mean) - sigma * sigma / 2, sigma);

        Agree(expected, seed => SettledAges(Open(rate, 1, 1, handling), seed).Average(), 0.06);
    }

    /// <summary>
    /// Handlers alternate between the CPUs of three nodes and the broker, which responds without a queue.
    /// </summary>
    [Theory]
    [InlineData(1, 1)]
    [InlineData(4, 1)]
    [InlineData(16, 1)]
    [InlineData(12, 2)]
    public void Handlers_of_a_backlog_behave_as_a_closed_network(int handlers, int vCpus)
    {
        double[] stations = [0.060, 0.045, 0.020];
        const double Broker = 0.1;
        var setting = Backlogged with
        {
            Handling = new(handlers, 0),
            Nodes = new(Count: 3, vCpus),
            Workflow = new([0], new ExponentialTime(60), new ExponentialTime(1000 * Broker)),
            Backends = [new([1], new ExponentialTime(45)), new([2], new ExponentialTime(20))],
        };

        Agree(
            ThroughputOf(handlers, vCpus, stations, Broker),
            seed => Simulator.Run(setting, seed).Rate(50, 1000),
            0.01
        );
    }

    [Fact]
    public void Concurrent_calls_take_as_long_as_the_longest_one()
    {
        var setting = Backlogged with
        {
            Handling = new(4, 0),
            Workflow = new([0], Latency: 50),
            Backends =
            [
                new([1], Latency: new ExponentialTime(80)),
                new([1], Latency: new ExponentialTime(20)),
                new([2], Latency: 30),
            ],
            Steps =
            [
                [0, 1],
                [2],
            ],
        };

        Agree(
            4 / (0.080 + 0.020 - 1 / (1 / 0.080 + 1 / 0.020) + 0.030 + 0.050),
            seed => Simulator.Run(setting, seed).Rate(50, 1000),
            0.01
        );
    }

    private static Setting Backlogged { get; } =
        Settings.Backlogged with
        {
            Users = Settings.Backlogged.Users with { DurationSeconds = 1000 },
            Queue = new(LockSeconds: 60, MaxDeliveryCount: 3, MessagesAtStart: 60_000),
        };

    private static Setting Open(double rate, int workflows, int calls, Times handling) =>
        Settings.Small with
        {
            Users = new(
                1,
                1,
                1,
                1,
                DurationSeconds: 20_000 / rate,
                EveryMilliseconds: 1000 / rate,
                Jitter: 0,
                Open: true,
                Random: true
            ),
            Handling = new(calls, 0),
            Ingestion = new([0]),
            Workflow = new([.. Enumerable.Repeat(1, workflows)], Latency: handling),
            Backends = [],
            SampleSeconds = 10,
        };

    /// <summary>Excludes those of the start, when no message waits yet.</summary>
    private static double[] SettledAges(Setting setting, int seed)
    {
        var ages = Simulator.Run(setting, seed).Ages;
        return [.. ages.Skip(ages.Count / 10)];
    }

    /// <param name="simulate">Runs one simulation with a seed.</param>
    /// <param name="power">The maximum half-width of the interval, as a share of the expected value.</param>
    private static void Agree(double expected, Func<int, double> simulate, double power)
    {
        double[] values = [.. Enumerable.Range(1, Seeds).Select(simulate)];
        var mean = values.Average();
        var variance = values.Sum(value => (value - mean) * (value - mean)) / (Seeds - 1);
        var half = T * Math.Sqrt(variance / Seeds);

        Assert.True(half <= power * expected, $"± {half:0.#####} is too wide to detect a difference.");
        Assert.True(
            Math.Abs(mean - expected) <= half,
            $"{mean:0.#####} ± {half:0.#####} does not contain {expected:0.#####}."
        );
    }

    /// <summary>Returns the probability that all servers are busy.</summary>
    private static double ErlangC(int servers, double offered)
    {
        var (term, sum) = (1.0, 0.0);
        for (var i = 0; i < servers; i++)
        {
            sum += term;
            term *= offered / (i + 1);
        }

        var all = term * servers / (servers - offered);
        return all / (sum + all);
    }

    /// <summary>
    /// Computes the throughput by convolution (Buzen): the share of each number of customers at each station, one
    /// station after the other.
    /// </summary>
    private static double ThroughputOf(int customers, int servers, double[] stations, double delay)
    {
        var weights = stations.Aggregate(Weights(delay, n => n), (sum, demand) =>
            Convolved(sum, Weights(demand, n => Math.Min(n, servers)))
        );
        return weights[^2] / weights[^1];

        double[] Weights(double demand, Func<int, int> atWork)
        {
            var result = new double[customers + 1];
            result[0] = 1;
            for (var n = 1; n <= customers; n++)
                result[n] = result[n - 1] * demand / atWork(n);
            return result;
        }

        static double[] Convolved(double[] a, double[] b) =>
            [.. a.Select((_, n) => Enumerable.Range(0, n + 1).Sum(k => a[k] * b[n - k]))];
    }
}
