namespace DroneDelivery.Gateway.Schemas;

/// <summary>What is wrong with a body, and where: the path grows while the check returns, so a body that is right costs no path.</summary>
internal sealed record Mistake(string Path, string Message)
{
    /// <summary>The whole body.</summary>
    private const string Root = "$";

    public static Mistake Of(string message) => new("", message);

    /// <summary>As a problem names it: <c>packageInfo.weight</c>, <c>items[2].weight</c>.</summary>
    public string Field => Path.Length == 0 ? Root : Path;

    public Mistake In(string member) =>
        this with { Path = Path.Length == 0 || Path[0] == '[' ? member + Path : $"{member}.{Path}" };

    public Mistake At(int index) => this with { Path = Path.Length == 0 || Path[0] == '[' ? $"[{index}]{Path}" : $"[{index}].{Path}" };
}
