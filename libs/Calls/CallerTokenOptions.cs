using System.ComponentModel.DataAnnotations;

namespace DroneDelivery.Calls;

/// <summary>Section <c>CallerToken</c>: the access token for calls to other services.</summary>
public sealed class CallerTokenOptions
{
    public const string Section = "CallerToken";

    /// <summary>The token's scope, for example <c>api://drone-delivery/.default</c>; <c>null</c> to call without a token.</summary>
    [MinLength(1)]
    public string? Scope { get; set; }
}
