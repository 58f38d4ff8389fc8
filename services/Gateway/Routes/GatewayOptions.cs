using System.ComponentModel.DataAnnotations;

namespace DroneDelivery.Gateway.Routes;

/// <summary>Section <c>Gateway</c>: who may come in, and what happens to a request on each route.</summary>
internal sealed class GatewayOptions : IValidatableObject
{
    public const string Section = "Gateway";

    public const int ShortestKey = 16, LongestKey = 256;

    // Without the key: messages go to logs.
    private static readonly string KeyForm = $"A key has {ShortestKey} to {LongestKey} ASCII characters, and no space.";

    /// <summary>A JSON file that has <see cref="Routes"/>. Null: the one beside the program.</summary>
    public string? PolicyFile { get; set; }

    /// <summary>Subscription keys, by the name of the subscriber. There is no default.</summary>
    public Dictionary<string, string> Keys { get; } = [];

    /// <summary>How often Ingestion is asked again what a valid body is.</summary>
    [Range(typeof(TimeSpan), "00:00:00.100", "1.00:00:00")]
    public TimeSpan SchemaRefresh { get; set; } = TimeSpan.FromMinutes(1);

    [Required, MinLength(1, ErrorMessage = "There is no route.")]
    public List<RouteOptions> Routes { get; } = [];

    public IEnumerable<ValidationResult> Validate(ValidationContext validationContext)
    {
        foreach (var (name, key) in Keys)
        {
            if (!IsKey(key))
                yield return new(KeyForm, [$"{nameof(Keys)}:{name}"]);
        }
        if (Keys.Count == 0 && Routes.Find(route => route.RequireKey) is { } closed)
            yield return new($"{closed.Name} asks for a key, and there is none. Set {Section}:{nameof(Keys)}:NAME.", [nameof(Keys)]);
        foreach (var (name, i) in Routes.Select((route, i) => (route.Name, i)))
        {
            if (Routes.FindIndex(route => string.Equals(route.Name, name, StringComparison.OrdinalIgnoreCase)) < i)
                yield return new($"{name} is there twice.", [$"{nameof(Routes)}:{i}"]);
        }
    }

    private static bool IsKey(string key) =>
        key is { Length: >= ShortestKey and <= LongestKey } && key.All(sign => sign is > ' ' and <= '~');
}
