using System.Text.Json;

namespace DroneDelivery.ServiceDefaults.Validation;

/// <summary>How the path of a value is written.</summary>
internal sealed class PathStyle
{
    private readonly string _separator;
    private readonly Func<int, string> _element;

    private PathStyle(string separator, Func<int, string> element, Func<string, string> nameOf) =>
        (_separator, _element, NameOf) = (separator, element, nameOf);

    /// <summary><c>items[2].weight</c></summary>
    public static PathStyle Json { get; } = new(".", i => $"[{i}]", JsonNamingPolicy.CamelCase.ConvertName);

    /// <summary><c>Items:2:Weight</c></summary>
    public static PathStyle Configuration { get; } = new(":", i => $":{i}", property => property);

    /// <summary>The whole value.</summary>
    public static string Root => "$";

    /// <summary>What a property is called outside of the code.</summary>
    public Func<string, string> NameOf { get; }

    public string Member(string path, string name) => path.Length == 0 ? name : $"{path}{_separator}{name}";

    public string Element(string path, int index) => path + _element(index);
}
