namespace DroneDelivery.Lab.Report;

/// <summary>
/// The application map of a stage. Roles that respond to requests are components; other targets (the queue, Redis) are stores. A queue is
/// connected to its receivers, although no call leads from it to them.
/// </summary>
internal sealed class ApplicationMap
{
    private const string Clients = "clients",
        QueueMessage = "Queue Message | servicebus",
        ServiceBus = "servicebus";
    private readonly List<Component> _components;
    private readonly List<Call> _calls;
    private readonly HashSet<string> _roles;

    private ApplicationMap(Answer nodes, Answer edges)
    {
        _components =
        [
            .. AnswerRow
                .AllOf(nodes.Rows)
                .Select(row => new Component(row.Text("cloud_RoleName"), Tally.Of(row), row.Text("instances"))),
        ];
        _calls =
        [
            .. AnswerRow
                .AllOf(edges.Rows)
                .Select(row => new Call(
                    row.Text("cloud_RoleName"),
                    row.Text("type"),
                    row.Text("target"),
                    row.Text("callee"),
                    Tally.Of(row)
                )),
        ];
        _roles = [.. _components.Select(component => component.Role)];
    }

    /// <summary>Renders the map with a title and its query; empty if nothing was recorded.</summary>
    public static Html Titled(StageTelemetry stage, string id)
    {
        var edges = stage.Ask("application-map-edges");
        var map = new ApplicationMap(stage.Ask("application-map-nodes"), edges);
        return map._components.Count == 0
            ? Html.Empty
            : Html.Of($"<h3>Application map</h3>{SvgMap.Render(map.Draw(id), Source.Of(edges))}");
    }

    private MapDrawing Draw(string id)
    {
        var edges = Edges().ToList();
        var called = edges.Where(edge => !edge.IsReply).Select(edge => edge.To).ToHashSet();
        var entries = _components.Where(component => !called.Contains(component.Role)).ToList();
        edges.AddRange(entries.Select(entry => Edge(Clients, entry.Role, entry.Tally)));
        var stores = edges.Select(edge => edge.To).Where(to => !_roles.Contains(to)).Distinct().Select(Store);
        return new(
            id,
            Says(),
            [new(Clients, "clients", ["the load"], null), .. _components.Select(Node), .. stores],
            edges
        );
    }

    private IEnumerable<MapEdge> Edges()
    {
        var consumers = _calls.Where(call => call.Type == QueueMessage && call.Callee.Length > 0).ToList();
        foreach (var call in consumers)
        {
            var handled = _components.First(component => component.Role == call.Callee).Tally.Calls;
            yield return new(call.Target, call.Callee, [$"{NumberText.Of(handled)} handled"], null);
        }

        var others = _calls.Where(call => call.Type != QueueMessage);
        foreach (
            var calls in others.GroupBy(call => (call.Role, To: call.Callee.Length > 0 ? call.Callee : call.Target))
        )
        {
            var isReply = consumers.Exists(consumer =>
                consumer.Callee == calls.Key.Role && consumer.Target == calls.Key.To
            );
            yield return Edge(calls.Key.Role, calls.Key.To, Tally.Sum(calls.Select(call => call.Tally))) with
            {
                IsReply = isReply,
            };
        }
    }

    private static MapEdge Edge(string from, string to, Tally tally) =>
        new(from, to, [$"{NumberText.Of(tally.Calls)} calls", $"{NumberText.Of(tally.Mean)} ms"], tally.FailedShare);

    private MapNode Node(Component component)
    {
        var replicas = $"{component.Instances} {(component.Instances == "1" ? "replica" : "replicas")}";
        return new(
            component.Role,
            component.Role,
            [replicas, $"{NumberText.Of(component.Tally.Mean)} ms"],
            component.Tally.Failures
        );
    }

    private MapNode Store(string name)
    {
        var shown = name[(name.LastIndexOf('/') + 1)..];
        return new(name, shown, [KindOf(name)], null);
    }

    private string KindOf(string store) =>
        _calls.First(call => call.Target == store).Type is var type && type == ServiceBus ? "Service Bus queue" : type;

    private string Says()
    {
        var worst = _calls
            .Where(call => call.Tally.Failed > 0)
            .OrderByDescending(call => call.Tally.Failed)
            .FirstOrDefault();
        var failures = worst is null
            ? "No call failed."
            : $"{NumberText.Of(worst.Tally.Failed)} of {NumberText.Of(worst.Tally.Calls)} calls from {worst.Role} "
                + $"to {(worst.Callee.Length > 0 ? worst.Callee : worst.Target)} failed.";
        var redis = _calls.Exists(call => call.Type.Equals("redis", StringComparison.OrdinalIgnoreCase))
            ? ""
            : " Redis is not on the map: the SDK does not track it. A run with --set telemetry.redis=on adds it.";
        return failures + redis;
    }

    private sealed record Component(string Role, Tally Tally, string Instances);

    /// <param name="Callee">Empty if no component responded.</param>
    private sealed record Call(string Role, string Type, string Target, string Callee, Tally Tally);

    private sealed record Tally(double Calls, double Failed, double Mean)
    {
        private double Share => 100 * Failed / Calls;

        public string? Failures => Failed == 0 ? null : $"{NumberText.Of(Failed)} failed ({Share:0} %)";

        public string? FailedShare =>
            Failed == 0 ? null
            : Share < 10 ? $"{Share:0.#} % failed"
            : $"{Share:0} % failed";

        public static Tally Of(AnswerRow row) =>
            new(Number(row, "calls"), Number(row, "failed"), Number(row, "avg_duration"));

        public static Tally Sum(IEnumerable<Tally> tallies) =>
            tallies.Aggregate(
                (a, b) =>
                    new(
                        a.Calls + b.Calls,
                        a.Failed + b.Failed,
                        (a.Calls * a.Mean + b.Calls * b.Mean) / (a.Calls + b.Calls)
                    )
            );

        private static double Number(AnswerRow row, string column) =>
            row.Value(column) is var value && double.IsNaN(value) ? 0 : value;
    }
}
