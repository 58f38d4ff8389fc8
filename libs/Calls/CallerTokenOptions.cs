using System.ComponentModel.DataAnnotations;

namespace DroneDelivery.Calls;

/// <summary>Section <c>CallerToken</c>: the token that calls to other services carry. They check it as <c>Authentication</c> says.</summary>
public sealed class CallerTokenOptions
{
    public const string Section = "CallerToken";

    /// <summary>The scope of the token that the identity of the process gets: <c>api://drone-delivery/.default</c>. <c>null</c> for
    /// calls without a token.</summary>
    [MinLength(1)]
    public string? Scope { get; set; }
}
