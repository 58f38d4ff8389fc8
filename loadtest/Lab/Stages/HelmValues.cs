using System.Globalization;
using System.Text;
using System.Xml;

namespace DroneDelivery.Lab.Stages;

/// <summary>The knobs of a stage as values of the chart <c>helm/drone-delivery</c>.</summary>
internal static class HelmValues
{
    /// <summary>
    /// Knobs that are values of the chart by themselves. The other knobs are replicas or settings of a service, or belong to the load.
    /// </summary>
    private static readonly Dictionary<string, (string Section, string Key, Func<double, string> Text)> Sections = new()
    {
        ["queue.lockDuration"] = ("serviceBus", "lockDuration", seconds =>
            XmlConvert.ToString(TimeSpan.FromSeconds(seconds))
        ),
        ["queue.maxDeliveryCount"] = ("serviceBus", "maxDeliveryCount", Number),
        ["redis.maxMemory"] = ("redis", "maxMemory", Number),
    };

    // The stages measure a broker that keeps its messages in memory.
    private const string InMemory = "persistence: false";

    /// <param name="origin">Who made the file, and what to do instead of changing it.</param>
    public static string Of(
        Stage stage,
        string origin = "Made by `./lab docs` from loadtest/stages: change the stage, and run that."
    )
    {
        var text = new StringBuilder()
            .Line($"# Stage {stage.Id}: {stage.Title}. {stage.Question}")
            .Line($"# {origin}")
            .Line("autoscaling: { enabled: false } # the stage says how many there are");
        if (DeclaredEnvironment.Load(stage.Environment).Nodes?.With(stage.Knobs) is { } nodes)
            text.Line($"nodes: {{ count: {nodes.Count}, cpu: {nodes.VCpu} }}");
        var sections = stage
            .Knobs.All.Where(it => Sections.ContainsKey(it.Knob.Name))
            .ToLookup(it => Sections[it.Knob.Name].Section, it => Pair(it.Knob, it.Value));
        text.Line($"serviceBus: {{ {string.Join(", ", sections["serviceBus"].Append(InMemory))} }}");
        foreach (var section in sections.Where(section => section.Key != "serviceBus"))
            text.Line($"{section.Key}: {{ {string.Join(", ", section)} }}");
        text.Line("services:");
        foreach (var service in Service.All)
            AddService(text, service, stage.Knobs);
        RequireAPlace(stage);
        return text.ToString();
    }

    private static string Pair(Knob knob, KnobValue value)
    {
        var (_, key, text) = Sections[knob.Name];
        return $"{key}: {text(value.Number)}";
    }

    private static void AddService(StringBuilder text, Service service, KnobSet knobs)
    {
        text.Line($"  {service.Name}:");
        text.Line($"    replicas: {Number(knobs.Number(service.ReplicasKnob, 1))}");
        var settings = knobs.SettingsFor(service.Name).ToList();
        if (settings.Count == 0)
            return;
        text.Line("    settings:");
        foreach (var (key, value) in settings)
            text.Line($"      {key}: {Scalar(value)}");
    }

    // A knob that was forgotten here would be a stage that is another one on a cluster.
    private static void RequireAPlace(Stage stage)
    {
        foreach (var (knob, _) in stage.Knobs.All)
        {
            if (knob.Setting is null && knob.Process is not ("load" or "lab") && !Sections.ContainsKey(knob.Name))
            {
                throw new BadInputException(
                    $"Stage {stage.Id} sets {knob.Name}, which the chart does not have yet: add it to {nameof(HelmValues)}."
                );
            }
        }
    }

    // "00:00:02" would be a number in base 60 to some readers of YAML.
    private static string Scalar(string value) =>
        double.TryParse(value, CultureInfo.InvariantCulture, out _) || value.All(char.IsLetter) && value.Length > 0
            ? value
            : $"\"{value}\"";

    private static string Number(double number) => number.ToString("0.####", CultureInfo.InvariantCulture);

    private static StringBuilder Line(this StringBuilder text, string line) => text.Append(line).Append('\n');
}
