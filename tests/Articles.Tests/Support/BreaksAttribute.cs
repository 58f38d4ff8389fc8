namespace DroneDelivery.Articles.Tests.Support;

/// <summary>
/// Marks a test that breaks checks of experiments, each by one named mechanism: the checks are arguments of this
/// attribute, or data of a theory.
/// </summary>
[AttributeUsage(AttributeTargets.Method)]
public sealed class BreaksAttribute(params string[] checks) : Attribute
{
    public IReadOnlyList<string> Checks { get; } = checks;
}
