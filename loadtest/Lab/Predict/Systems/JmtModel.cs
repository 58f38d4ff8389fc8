using System.Xml.Linq;
using DroneDelivery.Model;

namespace DroneDelivery.Lab.Predict;

/// <summary>
/// A system as a model of JSIMgraph, for a second opinion: Java Modelling Tools simulate it, too. A queue is a fork that lets as many
/// messages through as there are handlers; a call is a delay; the fork's join, where a handler has settled, lets the next message in.
/// </summary>
internal sealed class JmtModel
{
    public const string LeftOut =
        "JMT has no locks, delivery counts, retries, timeouts and circuit breakers: they change nothing as long as no call fails. "
        + "It simulates until its figures are certain, whatever load.duration is.";

    private const string Strategy = "jmt.engine.NetStrategies.",
        Message = "message",
        Source = "load",
        Sink = "end";

    private readonly SystemFile _system;
    private readonly List<XElement> _nodes = [],
        _measures = [],
        _connections = [];

    private JmtModel(SystemFile system) => _system = system;

    /// <param name="system">Valid.</param>
    /// <exception cref="BadInputException">It has something that JMT would simulate in another way.</exception>
    public static XDocument Of(SystemFile system) =>
        Refused(system).FirstOrDefault() is { } refused
            ? throw new BadInputException($"--jmt: {refused}.")
            : new JmtModel(system).Build();

    private static IEnumerable<string> Refused(SystemFile it)
    {
        if (it.Load!.PerSecond is null)
            yield return "load.maxUsers: JMT has no users who wait for their answer and for their next time; set load.perSecond";
        if (it.Nodes is { CpuCost: > 0 } && it.Services.Values.Any(service => service.CpuMilliseconds is { Mean: > 0 }))
            yield return "nodes.cpuCost: JMT has no latency that contains a wait for a CPU; --set nodes.cpuCost=0 leaves CPUs out";
        foreach (var (name, _) in it.Queues.Where(queue => queue.Value.MessagesAtStart > 0))
            yield return $"queues.{name}.messagesAtStart: JMT looks for the steady state; set it to 0";
        foreach (var (name, service) in it.Services)
        {
            if (service.PrefetchCount > 0)
                yield return $"{name}.prefetchCount: JMT's handlers hold no messages in advance; --set {name}.prefetchCount=0";
            if (service.Latency is MeasuredTime || service.Settlement is MeasuredTime)
                yield return $"{name}: JMT cannot draw from samples; give percentiles";
        }
    }

    private XDocument Build()
    {
        AddNode(
            Source,
            Section("RandomSource", Service(new ExponentialTime(1000 / _system.Load!.PerSecond!.Value))),
            Tunnel,
            Router
        );
        var accepted = _system.Accepts is { } accepts
            ? AddDelay(Source, accepts, _system.Services[accepts].Latency)
            : Source;
        Connect(accepted, _system.Queues.Keys.First());
        foreach (var (name, receiver) in _system.Receivers)
            AddReceiver(name, receiver);
        AddNode(Sink, Section("JobSink"));
        return new(
            new XElement(
                "archive",
                new XAttribute("name", _system.Name),
                new XElement(
                    "sim",
                    Attributes(("name", _system.Name), ("maxSamples", "1000000")),
                    new XElement(
                        "userClass",
                        Attributes(("name", Message), ("type", "open"), ("priority", "0"), ("referenceSource", Source))
                    ),
                    _nodes,
                    _measures,
                    _connections
                ),
                new XElement(
                    "jmodel",
                    _nodes.Select(
                        (node, place) =>
                            new XElement(
                                "station",
                                node.Attribute("name"),
                                new XElement(
                                    "position",
                                    Attributes(
                                        ("rotate", "false"),
                                        ("x", $"{120 * (place % 9)}"),
                                        ("y", $"{120 * (place / 9)}")
                                    )
                                )
                            )
                    )
                )
            )
        );
    }

    private void AddReceiver(string name, SystemService it)
    {
        var queue = it.Receives!;
        AddFork(queue, it.Replicas * it.MaxConcurrentCalls);
        foreach (
            var measure in (string[])
                ["Throughput", "Number of Customers", "Fork Join Number of Customers", "Fork Join Response Time"]
        )
        {
            _measures.Add(
                new(
                    "measure",
                    Attributes(
                        ("name", $"{queue}: {measure}"),
                        ("type", measure),
                        ("nodeType", "station"),
                        ("referenceNode", queue),
                        ("referenceUserClass", Message),
                        ("alpha", "0.01"),
                        ("precision", "0.03")
                    )
                )
            );
        }

        var last = queue;
        foreach (var (place, step) in it.Calls.Index())
            last = AddStep(last, $"{name} {place + 1}", step);
        last = it.Sends.Count > 0 ? AddSends(last, name, it) : AddDelay(last, $"{name} settles", it.Settlement);
        Connect(AddJoin($"{queue} settled", "NormalJoin", required: -1, last), Sink);
    }

    /// <summary>Calls that are made at the same time fork and join.</summary>
    private string AddStep(string from, string name, SystemStep step)
    {
        List<(string Name, Times? Latency)> calls =
        [
            .. step
                .Services.Index()
                .Select(it => ($"{name}.{it.Index + 1} {it.Item}", _system.Services[it.Item].Latency))
                .Where(it => it.Latency is { Mean: > 0 }),
        ];
        if (calls.Count < 2)
            return calls is [var only] ? AddDelay(from, only.Name, only.Latency) : from;
        Connect(from, name);
        AddFork(name);
        return AddJoin(
            $"{name} joined",
            "NormalJoin",
            required: -1,
            [.. calls.Select(it => AddDelay(name, it.Name, it.Latency))]
        );
    }

    /// <summary>Once the broker has what is sent, each further queue has it, and the handler settles: its join waits for nothing else.
    /// </summary>
    private string AddSends(string from, string name, SystemService it)
    {
        var sent = $"{name} sent";
        Connect(AddDelay(from, $"{name} sends", it.Settlement), sent);
        AddFork(sent);
        foreach (var queue in it.Sends)
            Connect(sent, queue);
        return AddJoin(
            $"{name} has settled",
            "PartialJoin",
            required: 1,
            AddDelay(sent, $"{name} settles", it.Settlement)
        );
    }

    /// <returns>From where messages go on: what takes no time is no station.</returns>
    private string AddDelay(string from, string name, Times? times)
    {
        if (times is not { Mean: > 0 })
            return from;
        Connect(from, name);
        return AddNode(name, Waiting, Section("Delay", Service(times)), Router);
    }

    private void AddFork(string name, int block = -1) =>
        AddNode(
            name,
            Waiting,
            Tunnel,
            Section(
                "Fork",
                Value("jobsPerLink", 1),
                Value("block", block),
                Value("isSimplifiedFork", true),
                PerClass(
                    $"{Strategy}ForkStrategy",
                    Part($"{Strategy}ForkStrategies.ProbabilitiesFork", Array($"{Strategy}ForkStrategies.OutPath"))
                )
            )
        );

    private string AddJoin(string name, string kind, int required, params string[] from)
    {
        foreach (var end in from)
            Connect(end, name);
        return AddNode(
            name,
            Section(
                "Join",
                PerClass(
                    $"{Strategy}JoinStrategy",
                    Part($"{Strategy}JoinStrategies.{kind}", Value("numRequired", required))
                )
            ),
            Tunnel,
            Router
        );
    }

    private string AddNode(string name, params XElement[] sections)
    {
        _nodes.Add(new("node", new XAttribute("name", name), sections));
        return name;
    }

    private void Connect(string source, string target) =>
        _connections.Add(new("connection", Attributes(("source", source), ("target", target))));

    private static XElement Tunnel => Section("ServiceTunnel");

    private static XElement Router =>
        Section("Router", PerClass($"{Strategy}RoutingStrategy", Part($"{Strategy}RoutingStrategies.RandomStrategy")));

    /// <summary>Any number of messages, first come, first served.</summary>
    private static XElement Waiting =>
        Section(
            "Queue",
            Value("size", -1),
            PerClass("java.lang.String", Value("dropStrategy", "drop")),
            Part($"{Strategy}QueueGetStrategies.FCFSstrategy"),
            PerClass($"{Strategy}QueuePutStrategy", Part($"{Strategy}QueuePutStrategies.TailStrategy"))
        );

    /// <summary>In seconds.</summary>
    private static XElement Service(Times times) =>
        times switch
        {
            ExponentialTime it => Drawn("Exponential", Value("lambda", 1000 / it.Milliseconds)),
            LogNormal { Sigma: > 0 } it => Drawn(
                "Lognormal",
                Value("mu", it.Mu - Math.Log(1000)),
                Value("sigma", it.Sigma)
            ),
            _ => Drawn("DeterministicDistr", Value("t", times.Mean / 1000)),
        };

    private static XElement Drawn(string from, params XElement[] parameters) =>
        PerClass(
            $"{Strategy}ServiceStrategy",
            Part(
                $"{Strategy}ServiceStrategies.ServiceTimeStrategy",
                Part($"jmt.engine.random.{from}"),
                Part($"jmt.engine.random.{from}Par", parameters)
            )
        );

    /// <summary>Only what is directly in a section is called a parameter.</summary>
    private static XElement Section(string name, params XElement[] parameters) =>
        new(
            "section",
            new XAttribute("className", name),
            parameters.Select(it => new XElement("parameter", it.Attributes(), it.Nodes()))
        );

    private static XElement PerClass(string type, XElement strategy) =>
        Array(type, new XElement("refClass", Message), strategy);

    private static XElement Array(string type, params XElement[] content)
    {
        var array = Part(type, content);
        array.Add(new XAttribute("array", "true"));
        return array;
    }

    private static XElement Part(string type, params XElement[] content) =>
        new("subParameter", Attributes(("classPath", type), ("name", type.Split('.')[^1])), content);

    private static XElement Value(string name, object value)
    {
        var type = value switch
        {
            int => "Integer",
            double => "Double",
            bool => "Boolean",
            _ => "String",
        };
        return new(
            "subParameter",
            Attributes(("classPath", $"java.lang.{type}"), ("name", name)),
            new XElement("value", value)
        );
    }

    private static IEnumerable<XAttribute> Attributes(params (string Name, string Value)[] all) =>
        all.Select(it => new XAttribute(it.Name, it.Value));
}
