namespace DroneDelivery.Lab.Tests.Support;

/// <summary>A command line as a shell takes it apart, as far as the workshop needs: blanks, single quotes, a comment at the end.</summary>
internal static class ShellWords
{
    public static string[] Of(string line) =>
        [
            .. Regex
                .Matches(line, "'(?<quoted>[^']*)'|\\S+")
                .Select(word => word.Groups["quoted"].Success ? word.Groups["quoted"].Value : word.Value)
                .TakeWhile(word => word != "#"),
        ];
}
