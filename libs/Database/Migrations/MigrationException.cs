namespace DroneDelivery.Database.Migrations;

/// <summary>The tables are not those that this version of the service needs. The message tells an operator what to do.</summary>
internal sealed class MigrationException(string message, Exception? inner = null) : Exception(message, inner);
