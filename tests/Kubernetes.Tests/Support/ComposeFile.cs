using System.Text.RegularExpressions;

namespace DroneDelivery.Kubernetes.Tests.Support;

/// <summary><c>compose.yaml</c>, and what is wrong with such a file by the rules of the Compose specification that it uses.</summary>
internal static partial class ComposeFile
{
    /// <summary>The keys of a service that we use, and what their values are; the specification has more.</summary>
    private static readonly Dictionary<string, Func<JsonNode, bool>> Keys = new()
    {
        ["image"] = value => ImageName().IsMatch(Text(value)),
        ["pull_policy"] = value => Text(value) is "always" or "never" or "missing" or "if_not_present" or "build",
        ["restart"] = value => Text(value) is "no" or "always" or "on-failure" or "unless-stopped",
        ["ports"] = value => AllTexts(value, port => PortOnLoopback().IsMatch(port)),
        ["tmpfs"] = value => AllTexts(value, mount => mount.StartsWith('/')),
        ["cap_drop"] = value => AllTexts(value, _ => true),
        ["security_opt"] = value => AllTexts(value, _ => true),
        ["command"] = value => AllTexts(value, _ => true),
        ["depends_on"] = value => AllTexts(value, _ => true) || (value is JsonObject map && map.All(pair => IsCondition(pair.Value))),
        ["volumes"] = value => AllTexts(value, volume => VolumeMount().IsMatch(volume)),
        ["healthcheck"] = value => value is JsonObject map && IsHealthCheck(map),
        ["environment"] = value => value is JsonObject map && map.All(pair => pair.Value is JsonValue),
    };

    public static JsonNode Read() =>
        Yaml.Documents(File.ReadAllText(Path.Combine(Repository.Root, "compose.yaml"))).Single();

    public static IEnumerable<KeyValuePair<string, JsonNode>> Services(this JsonNode file) =>
        file["services"]!.AsObject().Select(pair => KeyValuePair.Create(pair.Key, pair.Value!));

    public static IEnumerable<string> Texts(this JsonNode service, string key) =>
        (service[key] as JsonArray)?.Select(item => item!.ToString()) ?? [];

    public static IEnumerable<string> Mistakes(JsonNode file) =>
        file.AsObject().Select(pair => pair.Key)
            .Where(key => key is not ("name" or "services" or "volumes") && !key.StartsWith("x-", StringComparison.Ordinal))
            .Select(key => $"{key}: unknown")
            .Concat(file.Services().SelectMany(service => Mistakes(file, service.Key, service.Value)));

    private static IEnumerable<string> Mistakes(JsonNode file, string name, JsonNode service)
    {
        if (service["image"] is null)
            yield return $"{name}: no image";
        foreach (var (key, value) in service.AsObject())
        {
            if (!Keys.TryGetValue(key, out var isValid))
                yield return $"{name}.{key}: unknown";
            else if (value is null || !isValid(value))
                yield return $"{name}.{key}: {value?.ToJsonString()}";
        }
        foreach (var other in Dependencies(service).Where(other => file["services"]![other] is null))
            yield return $"{name}.depends_on: there is no {other}";
        foreach (var volume in service.Texts("volumes").Select(volume => volume.Split(':')[0]))
        {
            if (file["volumes"]?.AsObject().ContainsKey(volume) is not true)
                yield return $"{name}.volumes: there is no {volume}";
        }
    }

    private static IEnumerable<string> Dependencies(JsonNode service) =>
        service["depends_on"] is JsonObject map ? map.Select(pair => pair.Key) : service.Texts("depends_on");

    private static bool IsHealthCheck(JsonObject map) =>
        map.All(pair => pair.Key is "test" or "interval" or "start_period" or "start_interval")
        && map["test"] is JsonArray { Count: > 1 } test
        && Text(test[0]!) is "CMD" or "CMD-SHELL";

    private static bool IsCondition(JsonNode? value) =>
        value is JsonObject { Count: 1 } map && map["condition"] is JsonValue condition
        && Text(condition) is "service_started" or "service_healthy" or "service_completed_successfully";

    private static string Text(JsonNode value) => value is JsonValue ? value.ToString() : "";

    private static bool AllTexts(JsonNode value, Func<string, bool> isValid) =>
        value is JsonArray items && items.All(item => item is JsonValue && isValid(item.ToString()));

    [GeneratedRegex("^[a-z0-9./-]+:[A-Za-z0-9._-]+$")]
    private static partial Regex ImageName();

    [GeneratedRegex("^[a-z]+:/[a-z/]+$")]
    private static partial Regex VolumeMount();

    // Whoever is in the same network must not reach the services: none of them asks who calls.
    [GeneratedRegex(@"^127\.0\.0\.1:\d+:\d+$")]
    private static partial Regex PortOnLoopback();
}
