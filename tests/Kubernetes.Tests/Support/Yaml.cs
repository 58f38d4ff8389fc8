using YamlDotNet.RepresentationModel;

namespace DroneDelivery.Kubernetes.Tests.Support;

/// <summary>YAML as JSON nodes. Scalars remain strings, so that tests compare the text.</summary>
internal static class Yaml
{
    public static IReadOnlyList<JsonNode> Documents(string text)
    {
        var stream = new YamlStream();
        stream.Load(new StringReader(text));
        return [.. stream.Documents.Select(document => Node(document.RootNode)).OfType<JsonNode>()];
    }

    // "<<: *anchor" includes the pairs of another mapping.
    private static IEnumerable<KeyValuePair<YamlNode, YamlNode>> Merged(YamlMappingNode mapping) =>
        mapping.SelectMany(pair =>
            pair is { Key: YamlScalarNode { Value: "<<" }, Value: YamlMappingNode other } ? Merged(other) : [pair]
        );

    private static JsonNode? Node(YamlNode node) =>
        node switch
        {
            YamlMappingNode mapping => new JsonObject(
                Merged(mapping).Select(pair => KeyValuePair.Create(pair.Key.ToString(), Node(pair.Value)))
            ),
            YamlSequenceNode sequence => new JsonArray([.. sequence.Select(Node)]),
            YamlScalarNode { Value: null or "null", Style: YamlDotNet.Core.ScalarStyle.Plain } => null,
            YamlScalarNode scalar => JsonValue.Create(scalar.Value),
            _ => throw new ArgumentException($"{node.NodeType} is not expected in a manifest."),
        };
}
