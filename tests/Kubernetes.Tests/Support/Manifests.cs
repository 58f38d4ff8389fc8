namespace DroneDelivery.Kubernetes.Tests.Support;

internal static class Manifests
{
    public static JsonNode Find(string manifests, string kind, string name) =>
        Yaml.Documents(manifests)
            .Single(it => it["kind"]!.ToString() == kind && it["metadata"]!["name"]!.ToString() == name);

    public static JsonNode PodTemplate(string manifests, string workload) =>
        Find(manifests, "Deployment", workload)["spec"]!["template"]!;

    public static JsonNode Pod(string manifests, string workload) => PodTemplate(manifests, workload)["spec"]!;

    public static JsonNode Container(string manifests, string workload) => Pod(manifests, workload)["containers"]![0]!;

    public static string Image(string manifests, string workload) => $"{Container(manifests, workload)["image"]}";

    public static IEnumerable<string> Arguments(JsonNode container) =>
        (container["args"]?.AsArray() ?? []).Select(argument => $"{argument}");

    public static Dictionary<string, string> Environment(JsonNode container) =>
        (container["env"]?.AsArray() ?? []).ToDictionary(it => it!["name"]!.ToString(), it => it!["value"]!.ToString());
}
