using System.Text.RegularExpressions;
using Microsoft.AspNetCore.Http;

namespace DroneDelivery.ServiceDefaults.Errors;

/// <summary>Names the parameter, or the body, that could not be bound; the framework does so in its message alone.</summary>
internal static partial class ParameterErrors
{
    public static Dictionary<string, string[]>? Of(BadHttpRequestException exception)
    {
        if (exception.Message.Contains("no body was provided", StringComparison.Ordinal))
            return new() { ["$"] = ["A JSON body is required."] };
        var parameter = Parameter().Match(exception.Message);
        return parameter.Success ? new() { [parameter.Groups["name"].Value] = [exception.Message] } : null;
    }

    [GeneratedRegex("parameter \"\\S+ (?<name>\\w+)\"")]
    private static partial Regex Parameter();
}
